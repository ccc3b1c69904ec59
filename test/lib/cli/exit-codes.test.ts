import {expect} from 'chai'
import {EXIT, exitCodeOf} from '../../../src/lib/cli/exit-codes.ts'
import {ERROR_CODES, type ErrorCode} from '../../../src/lib/model/error-codes.ts'

const codes = Object.keys(ERROR_CODES) as ErrorCode[]

describe('exit codes', () => {
  it('are those that the documents promise', () => {
    expect(EXIT).to.deep.equal({
      ok: 0,
      unexpected: 1,
      changesPresent: 2,
      gateRefused: 3,
      appliedWithFailures: 4,
      needsRecover: 5,
      proxmox: 6,
      journal: 7,
      stalePlan: 8,
      doctor: 9,
      usage: 64,
      invalid: 65,
      interrupted: 130,
      terminated: 143,
    })
  })

  it('exist for every error code, and none of them is 0', () => {
    const numbers: number[] = Object.values(EXIT)
    for (const code of codes) {
      expect(numbers, code).to.include(exitCodeOf(code))
      expect(exitCodeOf(code), code).to.not.equal(0)
    }
  })

  it('are 1 for bugs of felhom and for nothing else', () => {
    expect(codes.filter((code) => exitCodeOf(code) === 1)).to.deep.equal(['unexpected'])
  })

  it('are 6 for whatever has to do with TLS or with the token that Proxmox refuses', () => {
    for (const code of codes.filter((c) => /^tls_|^unauthorized$|^forbidden$|^no_quorum$/.test(c))) {
      expect(exitCodeOf(code), code).to.equal(6)
    }
  })
})

import {mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {readSecrets} from '../../../../src/lib/app/source/read-secrets.ts'
import type {DesiredGuest} from '../../../../src/lib/model/desired.ts'
import {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import {CANARY, expectNoCanary} from '../../../support/canary.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'

const place = {file: 'guests.yaml', line: 1, column: 1}

describe('secrets of a new guest', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-secrets-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const write = (text: string, mode = 0o600): string => {
    const file = join(dir, 'secret')
    writeFileSync(file, text, {mode})
    return file
  }

  const withPassword = (from: {file: string} | {env: string}): DesiredGuest =>
    desiredGuest(101, {}, {create: {from: {template: 'local:vztmpl/a'}, password: from, place}})

  const password = (from: {file: string} | {env: string}, env: NodeJS.ProcessEnv = {}): string | undefined =>
    readSecrets(withPassword(from), ['password'], env)['password']

  function refusal(work: () => unknown): FelhomError {
    try {
      work()
    } catch (error) {
      if (error instanceof FelhomError) return error
    }
    throw new Error('it was not refused')
  }

  it('lose one line break at the end of their file, and nothing else', () => {
    expect(password({file: write('secret\n')})).to.equal('secret')
    expect(password({file: write('secret\r\n')})).to.equal('secret')
    expect(password({file: write('  secret \n\n')})).to.equal('  secret \n')
    expect(password({file: write('sec\nret')})).to.equal('sec\nret')
  })

  it('come from a variable as they are', () => {
    expect(password({env: 'PASSWORD'}, {PASSWORD: 'secret\n'})).to.equal('secret\n')
  })

  it('are asked for by name only', () => {
    const guest = withPassword({env: 'MISSING'})
    expect(readSecrets(guest, [], {})).to.deep.equal({})
  })

  it('are not found where there is none, and the message names the place', () => {
    const missing = refusal(() => password({file: join(dir, 'nothing')}))
    expect(missing.code).to.equal('secret_missing')
    expect(missing.message).to.contain('password of lxc/101').and.contain(join(dir, 'nothing'))
    expect(refusal(() => password({env: 'PASSWORD'})).message).to.contain('the variable PASSWORD is not set')
    expect(refusal(() => password({file: write('\n')})).message).to.contain('is empty')
    expect(refusal(() => readSecrets(desiredGuest(101), ['cipassword'], {})).message).to.contain('cipassword')
  })

  it('are refused where others may read them, without being repeated', () => {
    const error = refusal(() => password({file: write(CANARY, 0o644)}))
    expect(error.message).to.contain('0644')
    expectNoCanary(error)
    symlinkSync(write(CANARY), join(dir, 'link'))
    expect(refusal(() => password({file: join(dir, 'link')})).message).to.contain('symbolic link')
  })

  it('may be public keys that everybody may read', () => {
    const file = write('ssh-ed25519 AAAA me\n', 0o644)
    const guest = desiredGuest(
      101,
      {},
      {create: {from: {template: 'local:vztmpl/a'}, sshKeys: {file}, place}},
    )
    expect(readSecrets(guest, ['ssh-public-keys'], {})).to.deep.equal({
      'ssh-public-keys': 'ssh-ed25519 AAAA me',
    })
  })

  it('may stand among the options of a machine', () => {
    const value = {is: 'secret', from: {env: 'CI'}} as const
    const options = new Map([['cipassword', {name: 'cipassword', value, place}]])
    const guest = desiredGuest(101, {}, {kind: 'qemu', options})
    expect(readSecrets(guest, ['cipassword'], {CI: 'secret'})).to.deep.equal({cipassword: 'secret'})
  })
})

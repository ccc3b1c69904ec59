import {existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {listAudit} from '../../../../src/lib/app/gate/gate-audit.ts'
import {collectSignatures} from '../../../../src/lib/app/gate/gate-trust-collect.ts'
import type {ProposalView} from '../../../../src/lib/app/gate/gate-trust-view.ts'
import {hashTrust} from '../../../../src/lib/gate/trust-document.ts'
import {encodeTrustSignatures} from '../../../../src/lib/gate/trust-signatures.ts'
import {acquireLock} from '../../../../src/lib/store/acquire-lock.ts'
import {TrustFiles, type TrustVersion} from '../../../../src/lib/store/trust-files.ts'
import {rejection} from '../../../support/reject.ts'
import {
  draftVersion,
  NOW_MS,
  operational,
  recovery,
  signTrust,
  type TrustPerson,
} from '../../../support/trust-lab.ts'

describe('a version of the trust store that comes into force', () => {
  const [alice, safe] = [operational('alice'), recovery('safe')]
  const bytes = draftVersion([alice, safe])
  const UNSIGNED = {version: 1, bytes, signatures: encodeTrustSignatures([])}
  let dir: string
  let files: TrustFiles

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-collect-'))
    files = new TrustFiles(join(dir, 'trust'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const state = (): string => join(dir, 'above', 'state')
  const signedBy = (...people: readonly TrustPerson[]): string[] =>
    people.map((one, index) => {
      const file = join(dir, `${index}.sig`)
      writeFileSync(file, signTrust(bytes, one))
      return file
    })
  const collect = (
    signatureFiles: readonly string[],
    version: TrustVersion = files.readProposal(1) ?? UNSIGNED,
  ): Promise<ProposalView> =>
    collectSignatures(
      {files, head: undefined, version},
      {
        cwd: dir,
        nowMs: NOW_MS,
        keys: [],
        signatureFiles,
        tell: () => undefined,
        upkeep: {
          settings: {state: state()},
          holder: 'a test',
          lockTimeoutMs: 0,
          signal: new AbortController().signal,
          warn: () => undefined,
          onLocked: () => undefined,
        },
      },
    )
  const audited = async () => (await listAudit({state: state()}, 10)).records
  const isInForce = (): boolean => existsSync(join(dir, 'trust', '1.json'))

  it('is in the audit with its hash and its people, in a state directory that is made for it', async () => {
    expect((await collect(signedBy(alice, safe))).inForce).to.equal(true)
    const [record, ...others] = await audited()
    expect(others).to.deep.equal([])
    expect(record).to.deep.include({
      type: 'trust_changed',
      version: 1,
      hash: hashTrust(bytes),
      signers: ['alice', 'safe'],
    })
    expect(statSync(state()).mode & 0o777).to.equal(0o700)
    expect(isInForce()).to.equal(true)
  })

  it('is in no audit while a signature is wanting', async () => {
    expect((await collect(signedBy(alice))).inForce).to.equal(false)
    expect(isInForce()).to.equal(false)
    expect(await audited()).to.deep.equal([])
  })

  it('waits with its signatures where the audit cannot be kept', async () => {
    mkdirSync(state(), {recursive: true, mode: 0o700})
    writeFileSync(join(state(), 'install-id'), 'broken', {mode: 0o600})
    const error = await rejection(collect(signedBy(alice, safe)))
    expect(error).to.have.property('code', 'state_unsafe')
    expect(error).to.have.property('hint').that.includes('felhom gate trust init')
    expect(isInForce()).to.equal(false)
    rmSync(join(state(), 'install-id'))
    expect((await collect([])).inForce).to.equal(true)
    expect(await audited()).to.have.length(1)
  })

  it('waits with its signatures while another felhom writes', async () => {
    mkdirSync(state(), {recursive: true, mode: 0o700})
    const lock = await acquireLock(state(), {timeoutMs: 0, holder: 'felhom apply'})
    const error = await rejection(collect(signedBy(alice, safe)))
    await lock.release()
    expect(error).to.have.property('code', 'journal_locked')
    expect(error).to.have.property('doubt').that.includes('has all its signatures')
    expect(isInForce()).to.equal(false)
    expect((await collect([])).inForce).to.equal(true)
  })

  it('keeps a signature that another adds while this one is made', async () => {
    await collect([])
    const begun = files.readProposal(1)
    await collect(signedBy(safe))
    const [file = ''] = signedBy(alice)
    const done = await collect([file], begun)
    expect(done.signed.map(({principal}) => principal)).to.have.members(['alice', 'safe'])
    expect(isInForce()).to.equal(true)
  })

  it('takes no signature for what was dropped or replaced meanwhile', async () => {
    await collect([])
    const begun = files.readProposal(1)
    files.writeProposal({
      version: 1,
      bytes: draftVersion([alice, safe], {expiresMs: NOW_MS + 1000}),
      signatures: encodeTrustSignatures([]),
    })
    expect((await rejection(collect(signedBy(alice), begun))).message).to.include('another version 1')
    expect(isInForce()).to.equal(false)
  })

  it('is not told as changed where another felhom was faster', async () => {
    await collect([])
    writeFileSync(join(dir, 'trust', '1.json'), bytes)
    const error = await rejection(collect(signedBy(alice, safe)))
    expect(error.message).to.include('is there already')
    expect(await audited()).to.deep.equal([])
  })
})

import {fork, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {findDocument, findDocuments, readDocument} from '../../../../src/lib/app/gate/gate-documents.ts'
import {submitSignatures, type SavedApproval, type SavePlace} from '../../../../src/lib/app/gate/gate-sign.ts'
import {actionDigest} from '../../../../src/lib/gate/digests.ts'
import {OPERATION_NAMESPACE} from '../../../../src/lib/gate/namespaces.ts'
import {encodeStatement} from '../../../../src/lib/gate/statement.ts'
import {hashTrust} from '../../../../src/lib/gate/trust-document.ts'
import type {BoundAction} from '../../../../src/lib/model/approval.ts'
import {acquireLock} from '../../../../src/lib/store/acquire-lock.ts'
import {openInstallId} from '../../../../src/lib/store/install-id.ts'
import {TrustFiles} from '../../../../src/lib/store/trust-files.ts'
import {forgeSshsig} from '../../../support/sshsig-forge.ts'
import type {Submission} from '../../../support/submit-signatures.ts'
import {genesisOf, operational, recovery, type TrustPerson} from '../../../support/trust-lab.ts'

const [alice, bob] = [operational('alice'), operational('bob', {kind: 'ecdsa-256'})]
const BOUND: BoundAction = {
  op: 'guest.destroy',
  params: {purge: true},
  target: {kind: 'lxc', node: 'pve2', vmid: 150, identity: `sha256:${'1'.repeat(64)}`},
}
const ID = actionDigest(BOUND).slice('sha256:'.length, 'sha256:'.length + 16)

describe('an approval that several people sign', () => {
  let dir: string
  let settings: SavePlace['settings']

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-signing-'))
    const version = genesisOf([alice, bob, recovery('safe')], {
      thresholds: {default: 2, recovery: 1},
      expiresMs: nowMs() + 3_600_000,
    })
    mkdirSync(join(dir, 'trust'))
    mkdirSync(join(dir, 'state'), {mode: 0o700})
    new TrustFiles(join(dir, 'trust')).writeVersion(version)
    settings = {
      state: join(dir, 'state'),
      approvals: join(dir, 'approvals'),
      trust: {dir: join(dir, 'trust'), genesis: hashTrust(version.bytes)},
    }
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const nowMs = (): number => Math.floor(Date.now() / 1000) * 1000
  const writeStatement = (round = 0, bound = BOUND): string => {
    const nonce = Buffer.alloc(16, round).toString('base64url')
    const bytes = encodeStatement({
      ...bound,
      host: openInstallId(settings.state),
      action: actionDigest(bound),
      observed: `sha256:${'2'.repeat(64)}`,
      nonce,
      iatMs: nowMs(),
      expMs: nowMs() + 600_000,
      trust: 1,
      reason: '',
    })
    const file = join(dir, `${round}.statement`)
    writeFileSync(file, bytes)
    return file
  }
  const signElsewhere = ({key}: TrustPerson, statement: string): string => {
    const file = `${statement}.${key.kind}.sig`
    writeFileSync(file, forgeSshsig(key, readFileSync(statement), {namespace: OPERATION_NAMESPACE}))
    return file
  }
  const submit = (
    statement: string,
    sig: string,
    {onLocked = () => undefined, out}: {onLocked?: () => void; out?: string | undefined} = {},
  ): Promise<SavedApproval> =>
    submitSignatures(readDocument('/', statement), [sig], {
      settings,
      cwd: dir,
      out,
      nowMs: nowMs(),
      upkeep: {holder: 'a test', lockTimeoutMs: 60_000, signal: new AbortController().signal, onLocked},
    })

  it('holds what another wrote while this one waited', async () => {
    const statement = writeStatement()
    const first = await submit(statement, signElsewhere(alice, statement))
    expect(first.wanting).to.deep.equal({people: 1, needed: 2})
    const withAlice = readFileSync(first.file)
    rmSync(first.file)
    const lock = await acquireLock(settings.state, {name: 'signing.lock', timeoutMs: 0, holder: 'alice'})
    let second: Promise<SavedApproval> | undefined
    await new Promise<void>((done, fail) => {
      second = submit(statement, signElsewhere(bob, statement), {onLocked: done})
      second.then(() => fail(new Error('it was not waited for')), fail)
    })
    expect(readdirSync(join(dir, 'approvals'))).to.deep.equal([])
    writeFileSync(first.file, withAlice)
    await lock.release()
    const {wanting, signers} = (await second) ?? {}
    expect(wanting).to.equal(undefined)
    expect(signers?.map(({principal}) => principal)).to.have.members(['alice', 'bob'])
  })

  it('loses nobody when two processes write it at the same instant', async function () {
    this.timeout(60_000)
    const program = fileURLToPath(new URL('../../../support/submit-signatures.ts', import.meta.url))
    const people = [alice, bob].map((one) => ({one, child: fork(program, {execArgv: ['--import', 'tsx']})}))
    const answerOf = async (child: ChildProcess): Promise<string> => {
      const [{file, problem}] = (await once(child, 'message')) as [{file?: string; problem?: string}]
      if (file === undefined) throw new Error(problem)
      return file
    }
    try {
      await Promise.all(people.map(({child}) => answerOf(child)))
      for (let round = 0; round < 4; round++) {
        const statement = writeStatement(round)
        const asked: Submission[] = people.map(({one}) => ({
          settings,
          statement,
          sig: signElsewhere(one, statement),
        }))
        const answers = people.map(({child}) => answerOf(child))
        people.forEach(({child}, i) => child.send(asked[i] ?? {}))
        const [file = ''] = await Promise.all(answers)
        expect(readDocument('/', file).signatures, `round ${round}`).to.have.length(2)
      }
    } finally {
      for (const {child} of people) child.kill()
    }
  })

  it('names the command that carries it out', async () => {
    const next = async (bound: BoundAction, out?: string): Promise<string> => {
      const statement = writeStatement(0, bound)
      return (await submit(statement, signElsewhere(alice, statement), {out})).next
    }
    const snapshot: BoundAction = {...BOUND, op: 'snapshot.rollback', params: {snapshot: 'before'}}
    expect(await next(BOUND)).to.equal('felhom apply')
    expect(await next(snapshot)).to.equal('felhom snapshot rollback lxc/150 before')
    expect(await next(BOUND, 'mine.json')).to.equal(`felhom apply --approval ${join(dir, 'mine.json')}`)
  })

  it('holds each key once, however often it signs', async () => {
    const statement = writeStatement()
    await submit(statement, signElsewhere(bob, statement))
    // ECDSA never signs twice alike.
    const {file, wanting} = await submit(statement, signElsewhere(bob, statement))
    expect(wanting).to.deep.equal({people: 1, needed: 2})
    expect(readDocument('/', file).signatures).to.have.length(1)
  })

  describe('in a directory with something broken', () => {
    const warnings: string[] = []
    const warn = (text: string): void => void warnings.push(text)
    beforeEach(() => {
      warnings.length = 0
      mkdirSync(join(dir, 'approvals'))
      writeFileSync(join(dir, 'approvals', `${ID}-broken.json`), '{"payload": ')
    })

    it('is found all the same, and what is broken is told', async () => {
      const statement = writeStatement()
      const {file} = await submit(statement, signElsewhere(alice, statement))
      expect(findDocuments(settings, ID, warn).map((document) => document.file)).to.deep.equal([file])
      expect(findDocument(dir, settings, ID, warn).file).to.equal(file)
      expect(warnings).to.have.length(2)
      expect(warnings[0]).to.match(/^Left out: .*-broken\.json is no approval: /)
    })

    it('is missed only where there is no other', () => {
      expect(() => findDocument(dir, settings, ID, warn)).to.throw(`there is no approval ${ID}`)
      expect(warnings).to.have.length(1)
    })
  })
})

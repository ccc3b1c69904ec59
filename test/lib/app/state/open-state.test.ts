import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {checkGateLogs} from '../../../../src/lib/app/doctor/check-gate-logs.ts'
import {
  openState,
  withGateStores,
  withState,
  type StateRequest,
} from '../../../../src/lib/app/state/open-state.ts'
import type {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import {readAudit, verifyAudit} from '../../../../src/lib/store/audit/read-audit.ts'
import {readNonces} from '../../../../src/lib/store/nonces/read-nonces.ts'
import {systemDisk} from '../../../../src/lib/store/system-disk.ts'

const BURN = fileURLToPath(new URL('../../../support/burn-nonces.ts', import.meta.url))
const use = {statement: 'sha256:ab', expMs: Date.now() + 86_400_000}
const decision = {op: 'start', class: 'benign', signers: [], decision: 'allow'} as const

/** Stores are loaded when they are needed, and under mocha as a second copy: its errors are told by their code alone. */
async function failure(work: Promise<unknown>): Promise<FelhomError> {
  try {
    await work
  } catch (error) {
    return error as FelhomError
  }
  throw new Error('expected a rejection, but the work succeeded')
}

describe('the state directory of one who writes', () => {
  let base: string
  let request: StateRequest
  let place: {disk: typeof systemDisk; dir: string}
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'felhom-open-'))
    const dir = join(base, 'state')
    place = {disk: systemDisk, dir}
    request = {
      dir,
      identity: {endpoint: 'https://pve.example:8006', tokenId: 'root@pam!felhom'},
      holder: 'a test',
      lockTimeoutMs: 0,
      warn: (text) => {
        throw new Error(text)
      },
    }
  })
  afterEach(() => {
    rmSync(base, {recursive: true})
  })

  it('has its logs open under one lock, and free when it is closed', async () => {
    const state = await openState(request)
    expect((await failure(openState(request))).code).to.equal('journal_locked')
    expect((await failure(withGateStores(request, () => Promise.resolve()))).code).to.equal('journal_locked')
    await state.nonces.burn('a', use)
    await state.audit.append(decision)
    await state.close()
    expect((await failure(state.nonces.burn('b', use))).code).to.equal('journal_failed')
    expect((await failure(state.audit.append(decision))).code).to.equal('journal_failed')
    await withState(request, ({nonces, audit, host, journal}) => {
      expect(nonces.state('a')).to.equal('burned')
      expect(audit.head().seq).to.equal(2)
      expect(host).to.equal(state.host)
      expect(journal.openOperations()).to.deep.equal([])
      return Promise.resolve()
    })
  })

  it('gets no logs that nobody has written to', async () => {
    const {dir} = request
    await withGateStores(request, () => Promise.resolve())
    expect(readdirSync(dir)).to.deep.equal(['install-id', 'lock'])
    await withState(request, () => Promise.resolve())
    expect(readdirSync(dir)).to.deep.equal(['install-id', 'journal', 'lock'])
    expect(await checkGateLogs(dir)).to.deep.equal([])
  })

  it('with a damaged log of used approvals, audit or id is refused, and the lock is free again', async () => {
    await withState(request, async ({nonces, audit}) => {
      await nonces.burn('a', use)
      await audit.append(decision)
    })
    const {dir} = request
    const [fine] = await checkGateLogs(dir)
    expect(fine).to.deep.include({id: 'gate', verdict: 'ok'})
    expect(fine?.detail).to.match(/^1 approval was used; the audit ends in 2:[0-9a-f]{32}$/)
    for (const [file, code] of [
      ['nonces/00000001.log', 'journal_corrupt'],
      ['audit/00000001.log', 'journal_corrupt'],
      ['install-id', 'state_unsafe'],
    ] as const) {
      const path = join(dir, file)
      const bytes = readFileSync(path)
      writeFileSync(path, Buffer.from(bytes).fill(0x58, 20, 24))
      const error = await failure(openState(request))
      expect(error.code, file).to.equal(code)
      expect(error.message).to.contain(file)
      const [finding] = await checkGateLogs(dir)
      expect(finding).to.deep.include({verdict: 'mend', detail: error.message, advice: error.hint})
      writeFileSync(path, bytes)
      await (await openState(request)).close()
    }
  })

  it('lets of several processes one burn a nonce, round after round, even if one is killed', async () => {
    const start = async (...args: string[]): Promise<string[]> => {
      const child = spawn(process.execPath, ['--import', 'tsx', BURN, request.dir, ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let text = ''
      child.stdout.on('data', (bytes: Buffer) => {
        text += bytes.toString()
      })
      await once(child, 'close')
      return text.split('\n').filter((line) => line !== '')
    }
    const runs = await Promise.all([start('n', '6'), start('n', '6'), start('n', '3', 'die')])
    const burned = runs.flat().sort()
    expect(burned).to.deep.equal(['n-0', 'n-1', 'n-2', 'n-3', 'n-4', 'n-5'])
    const nonces = await readNonces(place)
    for (const nonce of burned) expect(nonces.state(nonce)).to.equal('burned')
    const audited: unknown[] = []
    for await (const record of readAudit(place)) if ('nonce' in record) audited.push(record.nonce)
    expect(audited.sort()).to.deep.equal(burned)
    expect((await verifyAudit(place)).problems).to.deep.equal([])
  })
})

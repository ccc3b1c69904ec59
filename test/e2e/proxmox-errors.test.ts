// Each way in which Proxmox can fail a command: a clear error, the right exit code, in bounded time, and the
// token in none of it.
import {chmodSync, writeFileSync} from 'node:fs'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {fileURLToPath} from 'node:url'

const SEED = fileURLToPath(new URL('../fixtures/pve/scenarios/seed.json', import.meta.url))
const OTHER_PIN = 'AB:'.repeat(31) + 'AB'

describe('a command that Proxmox fails', () => {
  let sandbox: SandboxProcess
  const runs: Run[] = []
  before(async () => {
    sandbox = await startSandboxProcess('--seed', SEED)
  })
  after(() => sandbox.stop())
  beforeEach(() => sandbox.reset())

  const guests = async (env: NodeJS.ProcessEnv = {}): Promise<Run> => {
    const run = await runFelhom(['guests'], {env: {...sandbox.env, FELHOM_LIMITS__TIMEOUT: '1s', ...env}})
    runs.push(run)
    return run
  }
  const guestsAsJson = async (
    env: NodeJS.ProcessEnv = {},
  ): Promise<{code: number | null; error: {code: string}}> => {
    const run = await runFelhom(['guests', '--json'], {
      env: {...sandbox.env, FELHOM_LIMITS__TIMEOUT: '1s', ...env},
    })
    runs.push(run)
    return {code: run.code, error: (JSON.parse(run.stdout) as {error: {code: string}}).error}
  }
  const fault = async (body: object): Promise<void> => {
    const {status, text} = await sandbox.control({
      fault: {method: 'GET', path: '*/nodes', times: 100, ...body},
    })
    expect(status, text).to.equal(200)
  }

  it('exits 0 when nothing is wrong', async () => {
    const run = await guests()
    expect(run.code, run.stderr).to.equal(0)
    expect(run.stdout).to.contain('media')
  })

  it('exits 6 on a CA that did not sign the certificate', () =>
    inScratch(async (dir) => {
      const other = await startSandboxProcess('--seed', SEED)
      const run = await guests({FELHOM_TLS__CA: other.caFile})
      await other.stop()
      expect(run.code).to.equal(6)
      expect(run.stderr).to.match(/certificate/i)
      expect(dir).to.be.a('string')
    }))

  it('exits 6 on a certificate that is not pinned', async () => {
    const env = {FELHOM_TLS__CA: undefined, FELHOM_TLS__FINGERPRINTS: OTHER_PIN}
    const run = await guests(env)
    expect(run.code).to.equal(6)
    expect(run.stderr).to.contain('not pinned')
    expect((await guestsAsJson(env)).error.code).to.equal('tls_pin_mismatch')
  })

  it('exits 0 on the certificate that is pinned', async () => {
    const run = await guests({FELHOM_TLS__CA: undefined, FELHOM_TLS__FINGERPRINTS: sandbox.fingerprint})
    expect(run.code, run.stderr).to.equal(0)
  })

  it('exits 6 on an expired token and on a wrong secret', async () => {
    const expired = 'root@pam!expired=55555555-6666-7777-8888-999999999999'
    const wrong = 'root@pam!felhom=00000000-0000-0000-0000-000000000000'
    const answers = [expired, wrong].map((token) =>
      guestsAsJson({FELHOM_TOKEN: token, FELHOM_LIMITS__TIMEOUT: '8s'}),
    )
    for (const json of await Promise.all(answers)) {
      expect(json).to.deep.include({code: 6})
      expect(json.error.code).to.equal('unauthorized')
    }
  })

  it('exits 64 without a token, and says where it may come from', async () => {
    const run = await guests({FELHOM_TOKEN: undefined})
    expect(run.code).to.equal(64)
    expect(run.stderr).to.contain('token: {file: …}')
  })

  it('exits 64 on a token file that others may read, and says how to mend it', () =>
    inScratch(async (dir) => {
      const file = join(dir, 'token')
      writeFileSync(file, sandbox.tokens.full)
      chmodSync(file, 0o644)
      const run = await guests({FELHOM_TOKEN: undefined, FELHOM_TOKEN__FILE: file})
      expect(run.code).to.equal(64)
      expect(run.stderr).to.contain(`chmod 600 ${file}`)
    }))

  it('works with a token that may only read', async () => {
    const run = await guests({FELHOM_TOKEN: sandbox.tokens.ro})
    expect(run.code, run.stderr).to.equal(0)
    expect(run.stdout).to.contain('6 guests')
  })

  it('says that a list is not whole for a token that may see one guest only', async () => {
    const run = await guests({FELHOM_TOKEN: 'ops@pve!partial=33333333-4444-5555-6666-777777777777'})
    expect(run.code, run.stderr).to.equal(0)
    expect(run.stderr).to.contain('Warning:')
    expect(run.stderr).to.contain('VM.Audit')
    expect(run.stdout).to.contain('1 guest ')
  })

  it('exits 6 on a host that refuses', async () => {
    const port = await closedPort()
    const json = await guestsAsJson({FELHOM_ENDPOINT: `https://127.0.0.1:${port}`})
    expect(json.code).to.equal(6)
    expect(json.error.code).to.equal('unreachable')
  })

  it('exits 6 on a server that accepts and then says nothing', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
    const {port} = silent.address() as {port: number}
    const json = await guestsAsJson({FELHOM_ENDPOINT: `https://127.0.0.1:${port}`})
    silent.close()
    expect(json.code).to.equal(6)
    expect(['timeout', 'unreachable']).to.include(json.error.code)
  })

  for (const [kind, code] of [
    [{kind: 'stall'}, 'timeout'],
    [{kind: 'reset'}, 'connection_lost'],
    [{kind: 'cut', afterBytes: 10}, 'connection_lost'],
    [{kind: 'status', status: 401}, 'unauthorized'],
    [{kind: 'status', status: 403}, 'forbidden'],
    [{kind: 'status', status: 500}, 'proxmox_error'],
    [{kind: 'status', status: 595}, 'node_unreachable'],
    [{kind: 'status', status: 596}, 'gateway_timeout'],
  ] as const) {
    it(`exits 6 with ${code} when the answer is ${JSON.stringify(kind)}`, async () => {
      await fault(kind)
      const json = await guestsAsJson()
      expect(json.code).to.equal(6)
      expect(json.error.code).to.equal(code)
    })
  }

  it('rides out a short burst of gateway errors', async () => {
    await fault({kind: 'status', status: 596, times: 2})
    const run = await guests({FELHOM_LIMITS__TIMEOUT: '10s'})
    expect(run.code, run.stderr).to.equal(0)
  })

  it('never printed a token', () => {
    expect(runs.length).to.be.greaterThan(10)
    const secrets = [sandbox.tokens.full, sandbox.tokens.ro].map((t) => t.split('=')[1] ?? t)
    for (const {stdout, stderr} of runs) {
      for (const secret of [...secrets, '55555555-6666', '00000000-0000-0000'])
        expect(stdout + stderr).to.not.contain(secret)
    }
  })
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const {port} = server.address() as {port: number}
  await new Promise((done) => server.close(done))
  return port
}

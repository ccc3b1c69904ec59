// `felhom sandbox` as scripts use it: the line that says it is ready, its controls, what it keeps and what it
// leaves behind.
import {once} from 'node:events'
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {connect} from 'node:net'
import {dirname, join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {RECORDED_SEED} from '../support/seed-file.ts'

const CONFIG = '/nodes/pve/lxc/102/config'

describe('felhom sandbox', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandboxProcess('--seed', RECORDED_SEED)
  })
  after(() => sandbox.stop())
  beforeEach(() => sandbox.reset())

  const memory = async (of = sandbox): Promise<unknown> =>
    ((await of.call('GET', CONFIG)) as {memory: unknown}).memory

  it('prints one line of JSON when it is ready, with all that a client needs', () => {
    const ready = JSON.parse(sandbox.readyLine) as Record<string, unknown>
    expect(Object.keys(ready)).to.deep.equal(['url', 'caFile', 'fingerprint', 'tokens', 'pid'])
    expect(ready['url']).to.match(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(ready['fingerprint']).to.match(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    expect(ready['pid']).to.equal(sandbox.child.pid)
    expect(ready['tokens']).to.deep.equal({
      full: 'root@pam!felhom=11111111-2222-3333-4444-555555555555',
      ro: 'ro@pve!audit=22222222-3333-4444-5555-666666666666',
    })
    expect(readFileSync(sandbox.caFile, 'utf8')).to.match(/^-----BEGIN CERTIFICATE-----/)
    expect(statSync(dirname(sandbox.caFile)).mode & 0o777).to.equal(0o700)
  })

  it('listens on 127.0.0.1 and on no other address', async () => {
    const port = Number(new URL(sandbox.url).port)
    expect(await reaches('127.0.0.1', port)).to.equal(true)
    expect(await reaches('127.0.0.2', port)).to.equal(false)
    expect(await reaches('::1', port)).to.equal(false)
  })

  it('goes back to its seed on reset', async () => {
    await sandbox.call('PUT', CONFIG, {memory: '300'})
    expect(await memory()).to.equal(300)
    await sandbox.reset()
    expect(await memory()).to.equal(256)
  })

  it('refuses a control that it does not know, and says what it knows', async () => {
    const answers = await Promise.all([
      sandbox.control({explode: true}),
      sandbox.control({quorate: 'perhaps'}),
      sandbox.control({fault: {kind: 'status', status: 500, pth: '/nodes'}}),
      sandbox.control({node: 'nowhere', online: false}),
      sandbox.control([]),
    ])
    expect(answers.map((a) => a.status)).to.deep.equal([400, 400, 400, 400, 400])
    const messages = answers.map((a) => (JSON.parse(a.text) as {error: string}).error)
    expect(messages[0]).to.contain('fault').and.contain('quorate')
    expect(messages[1]).to.contain('quorate')
    expect(messages[2]).to.contain('pth')
    expect(messages[3]).to.contain('nowhere')
    expect(await memory()).to.equal(256)
  })

  it('keeps its state in a file from run to run, and forgets it on reset', () =>
    inScratch(async (dir) => {
      const file = join(dir, 'lab.json')
      const args = ['--seed', RECORDED_SEED, '--state', file]
      const first = await startSandboxProcess(...args)
      expect(existsSync(file)).to.equal(true)
      await first.call('PUT', CONFIG, {memory: '300'})
      expect(await first.stop()).to.equal(0)
      expect(statSync(file).mode & 0o777).to.equal(0o600)

      const second = await startSandboxProcess(...args)
      expect(await memory(second)).to.equal(300)
      await second.reset()
      expect(await second.stop()).to.equal(0)

      const third = await startSandboxProcess(...args)
      expect(await memory(third)).to.equal(256)
      await third.stop()
    }))

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`ends with 0 on ${signal}, even amid a request, and takes its certificates along`, async () => {
      const other = await startSandboxProcess('--seed', RECORDED_SEED)
      const dir = dirname(other.caFile)
      expect(existsSync(dir)).to.equal(true)
      await other.control({fault: {path: '/version', kind: 'stall'}})
      const stalled = other.call('GET', '/version').catch((error: unknown) => error)
      const ended = once(other.child, 'exit')
      other.child.kill(signal)
      expect(await ended).to.deep.equal([0, null])
      expect(await stalled).to.be.instanceOf(Error)
      expect(existsSync(dir)).to.equal(false)
    })
  }

  it('exits 64 on a port that is taken, and leaves no certificates behind', () =>
    inScratch(async (dir) => {
      const {port} = new URL(sandbox.url)
      const run = await runFelhom(['sandbox', '--port', port, '--seed', RECORDED_SEED], {env: {TMPDIR: dir}})
      expect(run).to.deep.include({code: 64, stdout: ''})
      expect(run.stderr).to.contain(`port ${port} is in use`).and.contain('--port 0')
      expect(readdirSync(dir)).to.deep.equal([])
    }))

  it('exits 65 on a seed that it cannot use, and names the place', () =>
    inScratch(async (dir) => {
      const bad = {
        'broken.json': '{"node": "pve",',
        'list.json': '[]',
        'shape.json': JSON.stringify({
          ...(JSON.parse(readFileSync(RECORDED_SEED, 'utf8')) as object),
          guests: [{kind: 'lxc', vmid: 'one hundred', rawConfig: '', state: 'stopped'}],
        }),
      }
      for (const [name, text] of Object.entries(bad)) writeFileSync(join(dir, name), text)
      const start = (name: string): ReturnType<typeof runFelhom> =>
        runFelhom(['sandbox', '--port', '0', '--seed', name], {cwd: dir})
      const [missing, broken, list, shape] = await Promise.all(
        ['missing.json', ...Object.keys(bad)].map((name) => start(name)),
      )
      for (const run of [missing, broken, list, shape]) {
        expect(run).to.deep.include({code: 65, stdout: ''})
        expect(run?.stderr).to.match(/^Error: the seed /)
      }
      const said = (run = {stderr: ''}): string => run.stderr.replaceAll(/\s+/g, ' ')
      expect(said(missing)).to.contain(`${join(dir, 'missing.json')} cannot be read: ENOENT`)
      expect(said(broken)).to.contain('in JSON at position')
      expect(said(list)).to.contain('$: expected an object, got a list')
      expect(said(shape)).to.contain('$.guests[0].vmid: expected a number')
    }))

  it('exits 65 on a state file that is none or cannot be written', () =>
    inScratch(async (dir) => {
      writeFileSync(join(dir, 'notes.txt'), 'do not touch')
      const [none, unwritable] = await Promise.all(
        ['notes.txt', 'no/such/dir.json'].map((name) =>
          runFelhom(['sandbox', '--port', '0', '--seed', RECORDED_SEED, '--state', name], {cwd: dir}),
        ),
      )
      expect(none?.code).to.equal(65)
      expect(none?.stderr).to.contain('cannot be read from').and.contain('notes.txt')
      expect(readFileSync(join(dir, 'notes.txt'), 'utf8')).to.equal('do not touch')
      expect(unwritable?.code).to.equal(65)
      expect(unwritable?.stderr).to.contain('cannot be written to').and.contain('ENOENT')
    }))

  it('holds the example homelab when no seed is named, and felhom can read all of it', async () => {
    const homelab = await startSandboxProcess()
    try {
      const run = await runFelhom(['guests'], {env: homelab.env})
      expect(run).to.deep.include({code: 0, stderr: ''})
      expect(run.stdout).to.match(/\n\d+ guests on [2-9] nodes, \d+ running.*\.\n$/)
    } finally {
      await homelab.stop()
    }
  })
})

function reaches(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({host, port})
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => {
      resolve(false)
    })
  })
}

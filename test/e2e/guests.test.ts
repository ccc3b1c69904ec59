// `felhom guests` as a person and a script see it: the table, its colours, the envelope, and what it says
// about what it could not see.
import {spawn} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {BIN, bareEnvironment, runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {addGuest, addSecondNode, RECORDED_SEED, writeSeed} from '../support/seed-file.ts'

const ESCAPE = '\u001b'
/** Everything that a terminal would act on, but for line feeds. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface JsonRun {
  code: number | null
  envelope: {
    schemaVersion: number
    ok: boolean
    result: {guests: JsonGuest[]; quorum: string; completeness: {complete: boolean}} | null
    warnings: string[]
    error: {code: string} | null
  }
}

interface JsonGuest {
  vmid: number
  name: string
  run: string
  lock?: string
  tags: string[]
  config: {known: boolean; current: Record<string, string>; pending: {option: string; kind: string}[]}
}

const parse = ({code, stdout}: Run): JsonRun => ({code, envelope: JSON.parse(stdout) as JsonRun['envelope']})

describe('felhom guests', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandboxProcess('--seed', RECORDED_SEED)
  })
  after(() => sandbox.stop())
  beforeEach(() => sandbox.reset())

  const guests = (env: NodeJS.ProcessEnv = {}, ...args: string[]): Promise<Run> =>
    runFelhom(['guests', ...args], {env: {...sandbox.env, ...env}})

  it('prints a table of the guests in the order of their numbers, on stdout alone', async () => {
    const {code, stdout, stderr} = await guests()
    expect(stdout.split('\n')).to.deep.equal([
      'KIND  VMID  NAME      NODE  STATE    LOCK  PENDING',
      'lxc   100   dns       pve   running  -     -',
      'lxc   101   media     pve   running  -     -',
      'lxc   102   backup    pve   stopped  -     -',
      'lxc   103   db        pve   stopped  -     -',
      'qemu  200   vm-web    pve   running  -     -',
      'qemu  201   vm-spare  pve   stopped  -     -',
      '',
      '6 guests on 1 node, 3 running.',
      '',
    ])
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
  })

  it('is coloured when that is forced, and in no other way on a pipe', async () => {
    const [forced, ...plain] = await Promise.all([
      guests({FORCE_COLOR: '1'}),
      guests({TERM: 'xterm-256color', COLORTERM: 'truecolor'}),
      guests({FORCE_COLOR: '1', NO_COLOR: '1'}),
      guests({TERM: 'dumb'}),
      guests({CI: 'true'}),
      guests({FORCE_COLOR: '0'}),
    ])
    expect(forced.stdout).to.contain(`${ESCAPE}[32mrunning${ESCAPE}[39m`)
    for (const {stdout} of plain) {
      expect(stdout).to.contain('running').and.not.contain(ESCAPE)
    }
  })

  it('shows locks, and changes that wait for a restart', async () => {
    await sandbox.call('PUT', '/nodes/pve/qemu/200/config', {memory: '1024', cores: '4', delete: 'boot'})
    await sandbox.control({lock: 'backup', kind: 'lxc', vmid: 101})
    const [text, json] = await Promise.all([guests(), guests({}, '--json')])
    const lines = text.stdout.split('\n')
    expect(lines).to.include('lxc   101   media     pve   running  backup  -')
    expect(lines).to.include('qemu  200   vm-web    pve   running  -       -boot cores memory')
    expect(lines).to.include('6 guests on 1 node, 3 running, 1 with changes that wait for a restart.')
    const {result} = parse(json).envelope
    expect(result?.guests.find((g) => g.vmid === 101)?.lock).to.equal('backup')
    expect(result?.guests.find((g) => g.vmid === 200)?.config.pending).to.deep.equal([
      {option: 'boot', kind: 'delete', force: false},
      {option: 'cores', kind: 'set', value: '4'},
      {option: 'memory', kind: 'set', value: '1024'},
    ])
  })

  it('prints one envelope with --json, and no colour in it even when colour is forced', async () => {
    const run = await guests({FORCE_COLOR: '1'}, '--json')
    const {code, envelope} = parse(run)
    expect(Object.keys(envelope)).to.deep.equal(['schemaVersion', 'ok', 'result', 'warnings', 'error'])
    expect(envelope).to.deep.include({schemaVersion: 1, ok: true, warnings: [], error: null})
    expect(envelope.result?.guests.map((g) => g.vmid)).to.deep.equal([100, 101, 102, 103, 200, 201])
    expect(envelope.result?.guests[1]).to.deep.include({name: 'media', tags: ['homelab', 'media']})
    expect({code, stderr: run.stderr}).to.deep.equal({code: 0, stderr: ''})
  })

  it('keeps the run state of a guest whose config cannot be read, marks it and warns', async () => {
    await sandbox.control({
      fault: {method: 'GET', path: '/nodes/pve/lxc/101/pending', kind: 'status', status: 500, times: 20},
    })
    const [text, json] = await Promise.all([guests(), guests({}, '--json')])
    expect(text.code).to.equal(0)
    expect(text.stdout).to.match(/^lxc +101 +media +pve +running +- +config unreadable$/m)
    expect(text.stdout).to.match(/^lxc +100 +dns +pve +running +- +-$/m)
    expect(text.stderr).to.match(/^Warning: The config of lxc\/101 could not be read: /)
    const {envelope} = parse(json)
    expect(envelope.result?.guests[1]).to.deep.include({run: 'running'})
    expect(envelope.result?.guests[1]?.config.known).to.equal(false)
    expect(envelope.warnings).to.have.length(1)
    expect(json.stderr).to.equal('')
  })

  it('ends quietly when nobody reads on', async () => {
    const runs = await Promise.all([
      runIntoClosedPipe(['guests'], sandbox.env, 'stdout'),
      runIntoClosedPipe(['guests', '--json'], sandbox.env, 'stdout'),
      runIntoClosedPipe(['guests', '--no-such-flag'], sandbox.env, 'stderr'),
    ])
    expect(runs.map((r) => r.code)).to.deep.equal([0, 0, 64])
    for (const {output} of runs) expect(output).to.equal('')
  })
})

describe('felhom guests on a cluster that is hostile and not well', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  const hostileName = `${ESCAPE}[31mred\u202ekcab\u009b2J\u200b`
  before(async () => {
    const seed = writeSeed(dir, (s) => {
      addSecondNode(s)
      addGuest(s, 'lxc', 300, `#%1B]0;owned%07\nhostname: ${hostileName}\nmemory: 64\ntags: ${ESCAPE}[2J\n`)
      addGuest(s, 'qemu', 301, 'memory: 64\nname: 日本\n')
    })
    sandbox = await startSandboxProcess('--seed', seed)
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })
  beforeEach(() => sandbox.reset())

  it('lets no escape sequence of a name, tag or description through, in text or JSON', async () => {
    await sandbox.call('PUT', '/nodes/pve/lxc/102/config', {description: `${ESCAPE}]0;title\u0007\u2066x`})
    const runs = await Promise.all(
      [['guests'], ['guests', '--json'], ['capture'], ['capture', '--json']].map((args) =>
        runFelhom(args, {env: sandbox.env}),
      ),
    )
    for (const {code, stdout} of runs) {
      expect(code).to.equal(0)
      expect(stdout).to.not.match(ACTIVE)
    }
    const [text = {stdout: ''}, json] = runs
    expect(text.stdout).to.contain(String.raw`\x1b[31mred\u{202e}kcab\x9b2J\u{200b}  pve`)
    const guests = json && parse(json).envelope.result?.guests
    expect(guests?.find((g) => g.vmid === 300)?.name).to.equal(hostileName)
    expect(guests?.find((g) => g.vmid === 102)?.config.current['description']).to.contain('\u2066x')
  })

  it('keeps its columns in line below wide characters', async () => {
    const {stdout} = await runFelhom(['guests'], {env: sandbox.env})
    const cells = (line = ''): number => line.indexOf(' pve ') + (line.includes('日本') ? 2 : 0)
    const rows = stdout.split('\n').filter((line) => /^(?:lxc|qemu)/.test(line))
    expect(new Set(rows.map(cells)).size).to.equal(1)
  })

  it('says on stderr, or in the envelope, that a node is offline and that there is no quorum', async () => {
    await sandbox.control({node: 'pve2', online: false})
    await sandbox.control({quorate: false})
    const [text, json] = await Promise.all([
      runFelhom(['guests'], {env: sandbox.env}),
      runFelhom(['guests', '--json'], {env: sandbox.env}),
    ])
    expect(text.code).to.equal(0)
    expect(text.stderr).to.equal(
      'Warning: Node pve2 is offline: its guests are unknown.\n' +
        'Warning: The cluster has no quorum: it takes no changes.\n',
    )
    expect(text.stdout).to.contain('8 guests on 2 nodes').and.not.contain('Warning')
    const {envelope} = parse(json)
    expect(envelope).to.deep.include({
      ok: true,
      warnings: [
        'Node pve2 is offline: its guests are unknown.',
        'The cluster has no quorum: it takes no changes.',
      ],
    })
    expect(envelope.result?.quorum).to.equal('lost')
    expect(envelope.result?.completeness.complete).to.equal(false)
  })
})

/** Closes its end of one stream at once, as `| head -0` does; `output` is what came on the other. */
function runIntoClosedPipe(
  args: string[],
  env: NodeJS.ProcessEnv,
  closed: 'stdout' | 'stderr',
): Promise<{code: number | null; output: string}> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child[closed].destroy()
  let output = ''
  child[closed === 'stdout' ? 'stderr' : 'stdout'].on('data', (chunk: Buffer) => (output += chunk.toString()))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({code, output})
    })
  })
}

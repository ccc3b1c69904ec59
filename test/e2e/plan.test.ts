// `felhom plan` and `felhom show` as a person and a CI job use them: what is printed where, which code it exits
// with, and that a plan is the same live, from a capture, and read back from its file.
import {chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {addGuest, writeSeed} from '../support/seed-file.ts'

const HOMELAB = fileURLToPath(new URL('../fixtures/homelab/guests.yaml', import.meta.url))
const GOLDEN = new URL('../fixtures/golden/', import.meta.url)
const ESCAPE = '\u001b'
/** Everything that a terminal would act on, but for line feeds. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

interface Envelope {
  ok: boolean
  result: {
    format_version: string
    resource_changes: {
      address: string
      name: string | null
      change: {actions: string[]; before: Record<string, string> | null; after: Record<string, string> | null}
      steps: {type: string; blockers: {code: string}[]}[]
    }[]
    summary: Record<string, number>
    problems: {code: string}[]
  } | null
  error: {code: string; diagnostics?: {line: number; column: number}[]} | null
}

const parse = ({stdout}: Run): Envelope => JSON.parse(stdout) as Envelope

describe('felhom plan on the example homelab', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  before(async () => {
    copyFileSync(HOMELAB, join(dir, 'guests.yaml'))
    chmodSync(join(dir, 'guests.yaml'), 0o600)
    sandbox = await startSandboxProcess()
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })
  beforeEach(() => sandbox.reset())

  const felhom = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    runFelhom(args, {env: {...sandbox.env, ...env}, cwd: dir})

  const plan = (...args: string[]): Promise<Run> => felhom(['plan', '--desired', 'guests.yaml', ...args])

  /** A desired state of its own for one test; `guests` in flow style. */
  const planGuests = (guests: string, env: NodeJS.ProcessEnv = {}, ...args: string[]): Promise<Run> => {
    const file = join(dir, `wish-${Math.random().toString(36).slice(2)}.yaml`)
    writeFileSync(file, `felhom: 1\nguests: ${guests}\n`)
    return felhom(['plan', '--desired', file, ...args], env)
  }

  const MATCHING = '{101: {kind: lxc, run: running, config: {memory: 512, tags: [infra, dns]}}}'
  const CHANGED = '{101: {kind: lxc, config: {memory: 1GiB}}}'

  it('prints what the golden file holds, on stdout alone, and exits with 0', async () => {
    const {code, stdout, stderr} = await plan()
    expect(stdout).to.equal(readFileSync(new URL('homelab-plan.txt', GOLDEN), 'utf8'))
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
  })

  it('says so when there is nothing to do', async () => {
    const {code, stdout, stderr} = await planGuests(MATCHING)
    expect(stdout).to.equal(
      'No changes. Your guests match the desired state.\n' +
        '11 guests are not in the desired state and are left alone.\n',
    )
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
  })

  it('tells with --detailed-exitcode whether there are changes', async () => {
    const [none, some, quiet] = await Promise.all([
      planGuests(MATCHING, {}, '--detailed-exitcode'),
      planGuests(CHANGED, {}, '--detailed-exitcode'),
      planGuests(CHANGED),
    ])
    expect([none.code, some.code, quiet.code]).to.deep.equal([0, 2, 0])
  })

  it('refuses a desired state with mistakes, all of them with their places, and exits with 65', async () => {
    const file = join(dir, 'wrong.yaml')
    writeFileSync(
      file,
      'felhom: 1\nguests:\n  101:\n    kind: lxc\n    config:\n      memroy: 1GiB\n      cores: many\n',
    )
    const [text, json] = await Promise.all([
      felhom(['plan', '--desired', 'wrong.yaml']),
      felhom(['plan', '--desired', 'wrong.yaml', '--json']),
    ])
    expect([text.code, json.code]).to.deep.equal([65, 65])
    expect(text.stdout).to.equal('')
    expect(text.stderr).to.contain('wrong.yaml:6:7').and.contain('wrong.yaml:7:14').and.contain('memory')
    const {ok, result, error} = parse(json)
    expect({ok, result}).to.deep.equal({ok: false, result: null})
    expect(error?.diagnostics?.map(({line, column}) => [line, column])).to.deep.equal([
      [6, 7],
      [7, 14],
    ])
  })

  it('exits with 65 too when the desired state cannot be reached', async () => {
    const {code, stdout} = await planGuests('{120: {kind: lxc, disks: {rootfs: {size: 1GiB}}}}')
    expect(code).to.equal(65)
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain(
      'Error: lxc/120: rootfs is 16GiB, larger than the 1GiB that are desired: a disk cannot shrink',
    )
  })

  it('plans only the targets, and refuses one that is not in the files', async () => {
    const [one, two, unknown, wrongKind] = await Promise.all([
      plan('--json', '--target', '101'),
      plan('--json', '--target', 'qemu/200', '-t', 'lxc/101'),
      plan('--target', '101', '--target', '999'),
      plan('--target', 'qemu/101'),
    ])
    const addresses = (run: Run): string[] | undefined =>
      parse(run).result?.resource_changes.map(({address}) => address)
    expect(addresses(one)).to.deep.equal(['lxc/101'])
    expect(addresses(two)).to.deep.equal(['lxc/101', 'qemu/200'])
    expect(one.stdout).to.contain('This plan is for the targets alone')
    expect([unknown.code, wrongKind.code]).to.deep.equal([64, 64])
    expect(unknown.stderr).to.match(/has no guest 999$/m)
    expect(wrongKind.stderr).to.contain('no guest qemu/101')
  })

  it('saves a plan that only its owner may read, and shows it again without a connection', async () => {
    const saved = await plan('--out', 'plan.json')
    expect(statSync(join(dir, 'plan.json')).mode & 0o777).to.equal(0o600)
    const show = (...args: string[]): Promise<Run> => runFelhom(['show', 'plan.json', ...args], {cwd: dir})
    const [text, json, markdown] = await Promise.all([show(), show('--json'), show('--output', 'markdown')])
    expect(text).to.deep.equal({code: 0, stdout: saved.stdout, stderr: ''})
    expect(parse(json).result).to.deep.equal(JSON.parse(readFileSync(join(dir, 'plan.json'), 'utf8')))
    expect(markdown.stdout).to.equal(readFileSync(new URL('homelab-plan.md', GOLDEN), 'utf8'))
  })

  it('shows no plan that somebody has touched', async () => {
    const {stdout} = await plan('--json')
    const result = parse({stdout} as Run).result
    writeFileSync(join(dir, 'touched.json'), JSON.stringify({...result, summary: {}}))
    writeFileSync(join(dir, 'broken.json'), '{"format_version": ')
    const [touched, broken, missing] = await Promise.all(
      ['touched.json', 'broken.json', 'none.json'].map((file) => felhom(['show', file])),
    )
    expect([touched?.code, broken?.code, missing?.code]).to.deep.equal([64, 64, 64])
    expect(touched?.stderr).to.contain('summary.unmanaged is missing')
    expect(broken?.stderr).to.contain('cannot be used').and.contain('felhom plan --out FILE')
  })

  it('prints one envelope with --json, without colour even when that is forced', async () => {
    const {stdout, stderr} = await felhom(['plan', '-d', 'guests.yaml', '--json'], {FORCE_COLOR: '1'})
    const envelope = JSON.parse(stdout) as Envelope
    expect(Object.keys(envelope)).to.deep.equal(['schemaVersion', 'ok', 'result', 'warnings', 'error'])
    expect(envelope.result).to.deep.include({format_version: '1.0', problems: []})
    expect(envelope.result?.summary).to.deep.equal({
      create: 1,
      change: 4,
      destroy: 1,
      start: 1,
      stop: 0,
      signatures: 1,
      blocked: 1,
      unmanaged: 5,
      unchanged: 2,
    })
    expect(stderr).to.equal('')
  })

  it('gives the same plan from a capture as live, in every form', async () => {
    const captured = await felhom(['capture', '--out', 'cluster.json'])
    expect(captured.code, captured.stderr).to.equal(0)
    for (const form of [[], ['--json'], ['--output', 'markdown']]) {
      const [live, offline] = await Promise.all([
        plan(...form),
        runFelhom(['plan', '-d', 'guests.yaml', '--against', 'cluster.json', ...form], {cwd: dir}),
      ])
      expect(offline, form.join(' ')).to.deep.equal(live)
    }
  })

  it('plans against a sandbox of its own with --sandbox, without any settings', async () => {
    const {code, stdout} = await runFelhom(['plan', '--sandbox', '-d', 'guests.yaml'], {cwd: dir})
    expect(stdout).to.equal(readFileSync(new URL('homelab-plan.txt', GOLDEN), 'utf8'))
    expect(code).to.equal(0)
    const both = await runFelhom(['plan', '--sandbox', '--against', 'x', '-d', 'guests.yaml'], {cwd: dir})
    expect(both.code).to.equal(64)
  })

  it('is coloured when that is forced, and in no other way on a pipe', async () => {
    const run = (env: NodeJS.ProcessEnv): Promise<Run> => felhom(['plan', '-d', 'guests.yaml'], env)
    const [forced, ...plain] = await Promise.all([
      run({FORCE_COLOR: '1'}),
      run({TERM: 'xterm-256color', COLORTERM: 'truecolor'}),
      run({FORCE_COLOR: '1', NO_COLOR: '1'}),
    ])
    expect(forced.stdout).to.contain(`${ESCAPE}[33m~${ESCAPE}[39m`).and.contain(`${ESCAPE}[31m-${ESCAPE}[39m`)
    for (const {stdout} of plain) expect(stdout).to.contain('~ memory').and.not.contain(ESCAPE)
  })

  it('says of each change what a read-only token lacks for it', async () => {
    const {code, stdout} = await planGuests(CHANGED, {FELHOM_TOKEN: sandbox.tokens.ro})
    expect(code).to.equal(0)
    expect(stdout).to.contain('! not carried out now: the token lacks VM.Config.Memory on /vms/101')
    expect(stdout).to.contain('1 action cannot be carried out now')
  })

  it('creates nothing while a node is offline, and says why', async () => {
    await sandbox.control({node: 'pve2', online: false})
    const {code, stdout} = await plan()
    expect(code).to.equal(65)
    expect(stdout).to.match(/^Warning: .*pve2/m)
    expect(stdout).to.match(/^Error: lxc\/160 was not seen/m)
    expect(stdout).to.not.contain('will be created')
    // What is known is planned all the same.
    expect(stdout).to.contain('lxc/101 dns1 on pve1 will be updated in place')
  })

  it('says that a cluster without quorum takes no changes', async () => {
    await sandbox.control({quorate: false})
    const run = await planGuests(CHANGED, {}, '--json')
    const {result} = parse(run)
    expect(result?.problems.map(({code}) => code)).to.include('no_quorum')
    expect(result?.resource_changes[0]?.steps[0]?.blockers.map(({code}) => code)).to.include('no_quorum')
    const {stdout} = await planGuests(CHANGED)
    expect(stdout).to.contain('the cluster has no quorum')
  })

  it('leaves everything as it was', async () => {
    const before = await sandbox.call('GET', '/nodes/pve1/lxc/101/config')
    await planGuests(CHANGED)
    expect(await sandbox.call('GET', '/nodes/pve1/lxc/101/config')).to.deep.equal(before)
  })
})

describe('felhom plan of guests whose names are hostile', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  const hostileName = `${ESCAPE}[31mred\u202ekcab\u009b2J\u200b`
  before(async () => {
    const seed = writeSeed(dir, (s) => {
      addGuest(s, 'lxc', 300, `#%1B]0;owned%07\nhostname: ${hostileName}\nmemory: 64\ntags: ${ESCAPE}[2J\n`)
    })
    sandbox = await startSandboxProcess('--seed', seed)
    writeFileSync(
      join(dir, 'guests.yaml'),
      'felhom: 1\nguests: {300: {kind: lxc, config: {memory: 128, hostname: calm, tags: [calm], description: "a\\e[31mb\\u202e\\nc"}}}\n',
    )
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })

  it('lets no escape sequence through, in text, Markdown or JSON, live or shown again', async () => {
    const plan = (...args: string[]): Promise<Run> =>
      runFelhom(['plan', '-d', 'guests.yaml', ...args], {env: sandbox.env, cwd: dir})
    const runs = [
      await plan('--out', 'plan.json'),
      ...(await Promise.all([plan('--json'), plan('--output', 'markdown')])),
    ]
    runs.push(await runFelhom(['show', 'plan.json'], {cwd: dir}))
    for (const {code, stdout, stderr} of runs) {
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
      expect(stdout).to.contain('300')
      expect(stdout).to.not.match(ACTIVE)
    }
    expect(runs[0]?.stdout).to.contain(String.raw`lxc/300 \x1b[31mred\u{202e}kcab\x9b2J\u{200b} on pve`)
    const [change] = parse(runs[1] as Run).result?.resource_changes ?? []
    expect(change?.name).to.equal(hostileName)
  })
})

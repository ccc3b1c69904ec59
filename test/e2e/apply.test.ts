// `felhom apply` as a person and a script use it, against a sandbox that runs beside it.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, existsSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import {CANARY} from '../support/canary.ts'
import {BIN, bareEnvironment, runFelhom} from '../support/felhom.ts'
import {expectGolden} from '../support/golden.ts'

const HOMELAB = fileURLToPath(new URL('../../examples/homelab/guests.yaml', import.meta.url))
const HANDS_OFF = fileURLToPath(new URL('../../examples/hands-off/guests.yaml', import.meta.url))
const TEMPLATE = 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'

describe('felhom apply', () => {
  let lab: ApplyLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  it('makes the example homelab as it is desired: the second plan is empty', async () => {
    const homelab = ['-d', HOMELAB]
    const {code, stdout, stderr} = await lab.felhom(['apply', ...homelab, '--auto-approve'])
    expect(code, stderr).to.equal(0)
    const report = stdout.slice(stdout.indexOf('\ndone ') + 1)
    expectGolden('homelab-apply.txt', report)
    expect(stderr).to.contain('lxc/160 metrics: creating (vzcreate on pve1)\n')
    const second = await lab.felhom(['plan', ...homelab, '--detailed-exitcode'])
    expect(second.code, second.stdout).to.equal(0)
    expect(second.stdout).to.contain('No changes.')
    expect(await lab.status('lxc', 160)).to.equal('running')
    const third = await lab.felhom(['apply', ...homelab])
    expect(third.code).to.equal(0)
    expect(third.stdout).to.contain('No changes.').and.not.contain('Apply complete')
  })

  it('needs neither settings nor files with --sandbox, and leaves nothing behind', async () => {
    const {code, stdout} = await runFelhom(['apply', '--sandbox', '--auto-approve'], {cwd: lab.dir})
    expect(code).to.equal(0)
    expect(stdout).to.contain('Apply complete: 1 created, 3 changed, 1 started, 1 restarted.')
    expect(existsSync(join(lab.dir, '.felhom'))).to.equal(false)
  })

  it('asks only on a terminal: elsewhere it says what to do, and changes nothing', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    const {code, stdout, stderr} = await lab.felhom(['apply', '-d', 'guests.yaml'])
    expect(code).to.equal(64)
    expect(stdout).to.contain('memory = 512MiB -> 1GiB')
    expect(stderr).to.contain('there is no terminal to ask on').and.contain('--auto-approve')
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('changes only the targets', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}, 110: {kind: lxc, config: {memory: 3GiB}}}')
    expect((await lab.apply('--target', 'lxc/101')).code).to.equal(0)
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
    expect((await lab.config('lxc', 110))['memory']).to.equal(1024)
    expect((await lab.apply('--target', '999')).code).to.equal(64)
  })

  it('keeps its journal where only its owner may read it', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await lab.apply()
    const state = join(lab.dir, '.felhom')
    expect(statSync(state).mode & 0o777).to.equal(0o700)
    const list = await lab.felhom(['journal', 'list'])
    expect(list.stdout).to.match(/lxc\/101 +succeeded .* set memory/)
    const doctor = await lab.felhom(['doctor'])
    expect(doctor.stdout).to.match(/^ok +Journal +nothing is open; last run \d{8}T\d{6}-[0-9a-f]{4}$/m)
  })

  it('refuses mistakes in the files before it does anything', async () => {
    lab.wish('{101: {kind: lxc, config: {memroy: 1GiB}}}')
    const {code, stderr} = await lab.apply()
    expect(code).to.equal(65)
    expect(stderr).to.contain('guests.yaml:2:')
    expect(existsSync(join(lab.dir, '.felhom'))).to.equal(false)
    expect(await lab.sandbox.requests()).to.deep.equal({})
  })

  it('carries out nothing of a plan that cannot be reached', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}, 120: {kind: lxc, disks: {rootfs: {size: 1GiB}}}}')
    const {code, stdout, stderr} = await lab.apply()
    expect(code).to.equal(65)
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain('a disk cannot shrink')
    expect(stderr).to.contain('Nothing was changed.')
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('does not ask when nothing can be carried out: 3 for a signature, 4 for a lock', async () => {
    const both = await lab.felhom(['apply', '-d', HANDS_OFF])
    expect(both.code).to.equal(4)
    expect(both.stdout).to.contain('nothing was changed; 1 blocked, 1 waits for a')
    lab.wish('{150: {kind: lxc, ensure: absent}}')
    const signature = await lab.felhom(['apply', '-d', 'guests.yaml'])
    expect(signature.code).to.equal(3)
    expect(signature.stdout).to.match(/^unsigned +lxc\/150 wiki +destroy: /m)
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('goes on with other guests when one fails, and exits with 4', async () => {
    await lab.sandbox.control({failStart: 150, on: true})
    lab.wish('{150: {kind: lxc, run: running}, 101: {kind: lxc, config: {memory: 1GiB}}}')
    const {code, stdout} = await lab.apply()
    expect(code).to.equal(4)
    expect(stdout).to.match(/^done +lxc\/101 dns1 +changed memory$/m)
    expect(stdout).to.match(/^failed +lxc\/150 wiki +start: \S/m)
    expect(stdout).to.contain('Apply complete: 1 changed; 1 failed.')
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
  })

  it('leaves a task that takes too long in flight, exits with 5, and settles it the next time', async () => {
    await lab.sandbox.control({startDelaySeconds: 4})
    lab.wish('{150: {kind: lxc, run: running, config: {cores: 2}}}')
    const first = await lab.felhom(['apply', '-d', 'guests.yaml', '--auto-approve'], {
      FELHOM_LIMITS__TASK_TIMEOUT: '1s',
    })
    expect(first.code, first.stdout).to.equal(5)
    expect(first.stdout)
      .to.match(/^in flight +lxc\/150 /m)
      .and.contain('felhom recover')
    const second = await lab.apply()
    expect(second.code, second.stderr).to.equal(0)
    expect(second.stderr).to.contain('Settling 1 interrupted operation first.')
    expect(second.stdout).to.contain('No changes.')
    expect(await lab.status('lxc', 150, 'pve2')).to.equal('running')
  })

  it('freezes the guest of an open operation, goes on with others, and exits with 5 or 6', async () => {
    await lab.sandbox.control({startDelaySeconds: 60})
    const start = '150: {kind: lxc, run: running}'
    lab.wish(`{${start}}`)
    await lab.felhom(['apply', '-d', 'guests.yaml', '--auto-approve'], {FELHOM_LIMITS__TASK_TIMEOUT: '1s'})
    await lab.sandbox.control({node: 'pve2', online: false})
    lab.wish(`{${start}, 101: {kind: lxc, config: {memory: 1GiB}}}`)
    const env = {FELHOM_LIMITS__TIMEOUT: '1s'}
    const away = await lab.felhom(['apply', '-d', 'guests.yaml', '--auto-approve'], env)
    expect(away.code, away.stderr).to.equal(6)
    expect(away.stderr).to.contain('still open').and.contain('because a node is away: lxc/150')
    expect(away.stdout).to.contain('Apply complete: 1 changed.')
    lab.wish('{101: {kind: lxc, config: {memory: 2GiB}}}')
    const other = await lab.felhom(['apply', '-d', 'guests.yaml', '--auto-approve', '--json'], env)
    expect(other.code, other.stdout).to.equal(5)
    const [recovery] = other.stdout.split('\n')
    expect(JSON.parse(recovery ?? '')).to.include({type: 'recovery'})
    expect((await lab.config('lxc', 101))['memory']).to.equal(2048)
  })

  it('waits for another that holds the state directory, and then says who, with 7', async () => {
    await lab.sandbox.control({startDelaySeconds: 4})
    lab.wish('{150: {kind: lxc, run: running}}')
    const first = lab.apply()
    const isLocked = (): boolean => {
      const lock = join(lab.dir, '.felhom/lock')
      return existsSync(lock) && statSync(lock).size > 0
    }
    while (!isLocked()) await new Promise((resolve) => setTimeout(resolve, 20))
    const second = await lab.apply('--lock-timeout', '0s')
    expect(second.code).to.equal(7)
    expect(second.stderr)
      .to.contain('felhom apply')
      .and.match(/\bpid \d+|\d+/)
    expect((await first).code).to.equal(0)
  })

  it('sends nothing from a journal that is damaged or open to others, and exits with 7', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await lab.apply()
    lab.wish('{101: {kind: lxc, config: {memory: 2GiB}}}')
    const state = join(lab.dir, '.felhom')
    const segment = join(state, 'journal/00000001.log')
    const text = readFileSync(segment, 'utf8')
    writeFileSync(segment, text.replace('memory', 'memorx'))
    const damaged = await lab.apply()
    expect(damaged.code, damaged.stderr).to.equal(7)
    writeFileSync(segment, text)
    chmodSync(state, 0o755)
    const open = await lab.apply()
    expect(open.code).to.equal(7)
    expect(open.stderr).to.contain('chmod 700')
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
    chmodSync(state, 0o700)
    expect((await lab.apply()).code).to.equal(0)
  })

  it('sends nothing more when the disk takes no more of the journal, reports, and exits with 7', async () => {
    lab.wish(`{101: {kind: lxc, config: {memory: 1GiB}}, 102: {kind: lxc, config: {memory: 1GiB}},
      110: {kind: lxc, config: {memory: 3GiB}}, 130: {kind: lxc, config: {memory: 3GiB}}}`)
    const command = ['ulimit -f 2; exec "$0" "$@"', process.execPath, BIN, 'apply', '-d', 'guests.yaml']
    const child = spawn('bash', ['-c', ...command, '--auto-approve', '--parallelism', '1'], {
      cwd: lab.dir,
      env: bareEnvironment(lab.sandbox.env),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, output).to.equal(7)
    expect(output).to.contain('EFBIG').and.contain('not started')
    const started = lab.stateText().match(/"started"/g)?.length ?? 0
    const sent = (await lab.sandbox.requests())['PUT /nodes/{node}/lxc/{vmid}/config'] ?? 0
    expect(sent, 'no record, no request').to.be.within(1, Math.min(started, 3))
    expect((await lab.apply()).code, 'and the rest the next time').to.equal(0)
  })

  it('exits with 6 when Proxmox cannot be reached, and with 64 without a token', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    const args = ['apply', '-d', 'guests.yaml', '--auto-approve']
    const unreachable = await lab.felhom(args, {FELHOM_ENDPOINT: 'https://127.0.0.1:1'})
    expect(unreachable.code).to.equal(6)
    expect((await lab.felhom(args, {FELHOM_TOKEN: ''})).code).to.equal(64)
  })

  it('gives a new guest its secrets, which appear nowhere', async () => {
    lab.write('password', `${CANARY}\n`)
    lab.wish(`{161: {kind: lxc, node: pve1, disks: {rootfs: {size: 4GiB}},
      create: {template: "${TEMPLATE}", storage: local-lvm, password: {fromFile: password}}}}`)
    const runs = [
      await lab.plan('--out', 'plan.json'),
      await lab.apply('--json'),
      await lab.felhom(['journal', 'list', '--json']),
    ]
    expect(runs.map(({code}) => code)).to.deep.equal([0, 0, 0])
    const everything = [
      ...runs.flatMap(({stdout, stderr}) => [stdout, stderr]),
      readFileSync(join(lab.dir, 'plan.json'), 'utf8'),
      lab.stateText(),
    ].join('\n')
    expect(everything).to.contain('161').and.not.contain(CANARY)
  })

  it('fails only the guest whose secret is not there, before anything of it is in the journal', async () => {
    lab.wish(`{101: {kind: lxc, config: {memory: 1GiB}}, 161: {kind: lxc, node: pve1,
      create: {template: "${TEMPLATE}", storage: local-lvm, password: {fromEnv: NO_SUCH_SECRET}}}}`)
    const {code, stdout} = await lab.apply()
    expect(code).to.equal(4)
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain('the variable NO_SUCH_SECRET is not set')
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
    expect(lab.stateText()).to.not.contain('"type":"create"')
    expect((await lab.mutations()).filter((key) => key.startsWith('POST'))).to.deep.equal([])
  })

  it('prints one line of JSON per event, the plan first and the result last', async () => {
    lab.wish('{150: {kind: lxc, run: running, config: {cores: 2}}, 140: {kind: lxc, config: {cores: 4}}}')
    const {code, stdout, stderr} = await lab.apply('--json')
    expect({code, stderr}).to.deep.equal({code: 4, stderr: ''})
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(lines.map(({type}) => type)).to.include.members(['action_started', 'task_started', 'action_ended'])
    expect(lines[0]).to.include({schemaVersion: 1, type: 'plan'})
    expect(lines[1]).to.include({type: 'run_started', guests: 2})
    const last = lines.at(-1) ?? {}
    expect(last).to.include({schemaVersion: 1, type: 'result', ok: false})
    expect(last['error']).to.include({code: 'apply_failed'})
    expect(last['result']).to.deep.include({exitCode: 4})
    const run = (last['result'] as {run: string}).run
    for (const line of lines.slice(1, -1)) {
      expect(line).to.include({schemaVersion: 1, run})
      expect(line['at']).to.match(/^\d{4}-\d\d-\d\dT.*Z$/)
    }
  })

  it('ends --json with a result in one line when it cannot do its work at all', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    const {code, stdout} = await lab.felhom(['apply', '-d', 'guests.yaml', '--json'])
    expect(code).to.equal(64)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).to.have.lengthOf(2)
    expect(JSON.parse(lines[1] ?? '')).to.deep.include({type: 'result', ok: false, result: null})
  })

  it('takes --parallelism in place of the setting', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    expect((await lab.apply('--parallelism', '1')).code).to.equal(0)
    expect((await lab.apply('--parallelism', '99')).code).to.equal(64)
  })
})

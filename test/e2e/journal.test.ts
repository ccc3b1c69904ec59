// The commands around the journal as an operator meets them after something went wrong: the built program, a real
// state directory, and the sandbox as a process of its own.
import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, existsSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import type {Intent, OperationBody} from '../../src/lib/model/operation.ts'
import {runFelhom, type Run} from '../support/felhom.ts'
import {intentOf, RUN} from '../support/operations.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {RECORDED_SEED} from '../support/seed-file.ts'
import {StateDirectory} from '../support/state-directory.ts'
import {Terminal} from '../support/terminal.ts'
import {waitFor} from '../support/wait-for.ts'

const ESCAPE = '\u001b'
/** Everything that a terminal would act on, but for line feeds. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const TOKEN_ID = 'root@pam!felhom'

interface Envelope<T> {
  ok: boolean
  result: T
  warnings: string[]
  error: {code: string; message: string} | null
}

const parse = <T>({stdout}: Run): Envelope<T> => JSON.parse(stdout) as Envelope<T>

/** An operation on a container of the recorded seed. */
const operation = (n: number, vmid: number, body: OperationBody, more: Partial<Intent> = {}): Intent => {
  const {identity, digest, ...rest} = intentOf(n, body, {atMs: Date.now() - 300_000 + n})
  expect([identity, digest]).not.to.include(undefined)
  return {...rest, target: {kind: 'lxc', vmid, node: 'pve'}, name: `guest-${vmid}`, ...more}
}

describe('the commands around the journal', () => {
  let sandbox: SandboxProcess
  let state: StateDirectory
  before(async () => {
    sandbox = await startSandboxProcess('--seed', RECORDED_SEED)
  })
  after(() => sandbox.stop())
  beforeEach(async () => {
    await sandbox.reset()
    state = new StateDirectory({endpoint: sandbox.url, tokenId: TOKEN_ID})
  })
  afterEach(() => {
    state.remove()
  })

  const felhom = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    runFelhom(args, {cwd: state.project, env: {...sandbox.env, FELHOM_RECOVER__SETTLE: '1s', ...env}})
  const nowhere = {FELHOM_ENDPOINT: 'https://127.0.0.1:1', FELHOM_LIMITS__TIMEOUT: '1s'}

  /** Starts a container that takes its time, and leaves the operation as a crash would. */
  const leaveRunning = async (seconds = 3600): Promise<string> => {
    await sandbox.control({startDelaySeconds: seconds})
    const upid = String(await sandbox.call('POST', '/nodes/pve/lxc/102/status/start'))
    await state.write(async (journal) => {
      await journal.start(operation(2, 102, {type: 'start'}, {before: {run: 'stopped', options: {}}}))
      await journal.taskRunning(`${RUN}.2`, upid)
    })
    return upid
  }

  /** A creation of which nobody can tell how it ended. */
  const leaveQuarantined = (): Promise<void> =>
    state.write(async (journal) => {
      const body = {
        type: 'create',
        from: {template: 'local:vztmpl/x.tar.zst'},
        options: {},
        secrets: [],
        marker: ['BC:24:11:00:00:07'],
      } as const
      await journal.start(operation(3, 103, body, {before: {run: 'stopped', options: {}}}))
      await journal.settle(`${RUN}.3`, {
        state: 'quarantined',
        by: 'recover',
        reason: 'there is another guest',
      })
    })

  const leaveDone = (name = 'media'): Promise<void> =>
    state.write(async (journal) => {
      const before = {run: 'running', options: {cores: '1', swap: '512'}} as const
      const body = {type: 'set-config', set: {cores: '2'}, delete: ['swap']} as const
      await journal.start(operation(1, 101, body, {before, name}))
      await journal.settle(`${RUN}.1`, {state: 'succeeded', by: 'engine', reason: ''})
    })

  describe('where there is no journal', () => {
    it('find nothing, and make nothing', async () => {
      const runs = await Promise.all(
        [
          ['inflight'],
          ['list'],
          ['verify'],
          ['rearm'],
          ['compact'],
          ['show', 'x'],
          ['resolve', 'x', '--as', 'failed'],
        ].map((args) => felhom(['journal', ...args])),
      )
      expect(runs.map(({code}) => code)).to.deep.equal([0, 0, 0, 0, 64, 64, 64])
      expect(runs.slice(0, 4).map(({stdout}) => stdout)).to.deep.equal([
        'Nothing is in flight.\n',
        'No operations.\n',
        'There is no journal yet.\n',
        'Nothing is disarmed.\n',
      ])
      expect(existsSync(join(state.path, 'journal'))).to.equal(false)
    })

    it('recover settles nothing, and succeeds', async () => {
      const {code, stdout} = await felhom(['recover'])
      expect({code, stdout}).to.deep.equal({code: 0, stdout: 'Nothing is open.\n'})
    })
  })

  describe('journal inflight', () => {
    it('lists what is open with its task, its age and what recover would do, and exits with 5', async () => {
      const upid = await leaveRunning()
      await leaveDone()
      const {code, stdout, stderr} = await felhom(['journal', 'inflight'])
      expect({code, stderr}).to.deep.equal({code: 5, stderr: ''})
      expect(stdout).to.contain(`${RUN}.2  task_running`).and.not.contain(`${RUN}.1`)
      expect(stdout).to.contain(`  task     ${upid}`)
      expect(stdout).to.match(/^ {2}started {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ, [45] min ago$/m)
      expect(stdout).to.match(
        /^ {2}recover {2}would keep waiting: its task is running; look again in \d+ s$/m,
      )
      expect(stdout).to.contain('1 operation is open; its guest is frozen.')
    })

    it('says the same as JSON', async () => {
      const upid = await leaveRunning()
      const run = await felhom(['journal', 'inflight', '--json'])
      const {ok, result} = parse<{operations: {op: string; task: string; recover: {verdict: string}}[]}>(run)
      expect({code: run.code, ok}).to.deep.equal({code: 5, ok: true})
      expect(result.operations).to.have.length(1)
      expect(result.operations[0]).to.deep.include({op: `${RUN}.2`, task: upid, state: 'task_running'})
      expect(result.operations[0]?.recover.verdict).to.equal('wait')
    })

    it('lists all the same where Proxmox cannot be reached, and says so', async () => {
      await leaveQuarantined()
      const [unreachable, offline] = await Promise.all([
        // The journal is about the endpoint that it was written for.
        sandboxGone(() => felhom(['journal', 'inflight'])),
        felhom(['journal', 'inflight', '--offline'], nowhere),
      ])
      expect([unreachable.code, offline.code]).to.deep.equal([5, 5])
      expect(unreachable.stderr).to.match(/^Warning: Proxmox could not be asked what recover would do: /)
      expect(offline.stderr).to.equal('')
      for (const {stdout} of [unreachable, offline]) {
        expect(stdout).to.contain(`${RUN}.3  quarantined`).and.contain('by recover: there is another guest')
        expect(stdout).not.to.contain('would')
      }
    })

    it('asks no other Proxmox than the one that the journal is about', async () => {
      await leaveRunning()
      const other = {...nowhere, FELHOM_ENDPOINT: sandbox.url.replace('127.0.0.1', 'localhost')}
      const {code, stdout, stderr} = await felhom(['journal', 'inflight'], other)
      expect(code).to.equal(5)
      expect(stdout).to.contain(`${RUN}.2`).and.not.contain('would')
      expect(stderr.replaceAll(/\s+/g, ' ')).to.contain('the journal is about')
    })

    it('takes no lock', async () => {
      await leaveRunning()
      await whileLocked(async () => {
        expect((await felhom(['journal', 'inflight'])).code).to.equal(5)
      })
    })
  })

  /** Proxmox does not answer meanwhile. */
  const sandboxGone = async <T>(work: () => Promise<T>): Promise<T> => {
    await sandbox.control({fault: {method: '*', path: '*', kind: 'status', status: 599, times: 1000}})
    try {
      return await work()
    } finally {
      await sandbox.control({faults: 'clear'})
    }
  }

  /** Another program holds the lock, as a felhom at work would. */
  const whileLocked = async (work: () => Promise<void>): Promise<void> => {
    const lock = join(state.path, 'lock')
    writeFileSync(lock, '', {mode: 0o600})
    const holder: ChildProcess = spawn('flock', [lock, 'cat'], {stdio: ['pipe', 'ignore', 'ignore']})
    try {
      await waitFor(() => isLocked(lock))
      await work()
    } finally {
      holder.stdin?.end()
      await once(holder, 'exit')
    }
  }

  describe('journal list and show', () => {
    it('tell what was done, newest first', async () => {
      await leaveDone()
      await leaveQuarantined()
      const {code, stdout, stderr} = await felhom(['journal', 'list'])
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
      const [header, first, second] = stdout.split('\n')
      expect(header).to.match(/^OP +GUEST +STATE +STARTED +AGE +WHAT$/)
      expect(first).to.match(/ab12\.3 {2}lxc\/103 {2}quarantined .* create from local:vztmpl\/x\.tar\.zst$/)
      expect(second).to.match(/ab12\.1 {2}lxc\/101 {2}succeeded .* set cores; remove swap$/)
    })

    it('tell less when less is asked for', async () => {
      await leaveDone()
      await leaveQuarantined()
      const ops = async (...args: string[]): Promise<string[]> =>
        parse<{operations: {op: string}[]}>(
          await felhom(['journal', 'list', '--json', ...args]),
        ).result.operations.map(({op}) => op.slice(-1))
      expect(await ops('--state', 'open')).to.deep.equal(['3'])
      expect(await ops('--guest', '101')).to.deep.equal(['1'])
      expect(await ops('--since', '1s')).to.deep.equal([])
      expect(await ops('--limit', '1')).to.deep.equal(['3'])
      expect((await felhom(['journal', 'list', '--since', 'soon'])).code).to.equal(64)
    })

    it('tell the story of an operation by the end of its name, with what it replaced', async () => {
      await leaveDone()
      const {code, stdout} = await felhom(['journal', 'show', 'ab12.1'])
      expect(code).to.equal(0)
      expect(stdout).to.contain(`${RUN}.1  succeeded`)
      expect(stdout)
        .to.contain('~ cores = 1 -> 2')
        .and.match(/- swap +=/)
      expect(stdout).to.match(/T[\d:.]+Z {2}started\n.*T[\d:.]+Z {2}succeeded\n$/)
      const run = await felhom(['journal', 'show', RUN])
      expect(run.stdout).to.match(new RegExp(`^${RUN} .*\\n[^]*1 operation: 1 succeeded\\.\\n$`))
    })

    it('obey nothing that a guest is called', async () => {
      await leaveDone(`${ESCAPE}[2J\u202eevil\nfake`)
      const runs = await Promise.all([
        felhom(['journal', 'show', 'ab12.1']),
        felhom(['journal', 'show', 'ab12.1', '--json']),
        felhom(['journal', 'list']),
      ])
      for (const {code, stdout} of runs) {
        expect(code).to.equal(0)
        expect(stdout).not.to.match(ACTIVE)
        expect(stdout).not.to.match(/^fake/m)
      }
    })
  })

  describe('recover', () => {
    it('keeps open what still runs, says when to look again, and exits with 5', async () => {
      await leaveRunning()
      const {code, stdout} = await felhom(['recover', '--wait', '0s'])
      expect(code).to.equal(5)
      expect(stdout).to.contain(`${RUN}.2  still open`).and.contain('0 operations settled, 1 open.')
      expect(stdout).to.match(/^Look again in \d+ s \(.*Z\): felhom recover$/m)
    })

    it('settles what has ended, and has nothing to do afterwards', async () => {
      const upid = await leaveRunning()
      await sandbox.reset()
      await sandbox.call('POST', '/nodes/pve/lxc/102/status/start')
      await waitFor(async () => isRunning(await sandbox.call('GET', '/nodes/pve/lxc/102/status/current')))
      const {code, stdout} = await felhom(['recover'])
      expect(stdout).to.contain(`${RUN}.2  satisfied`).and.contain('1 operation settled, 0 open.')
      expect(code).to.equal(0)
      const again = await felhom(['recover', '--json'])
      expect(parse<{decisions: unknown[]}>(again).result.decisions).to.deep.equal([])
      const story = await felhom(['journal', 'show', 'ab12.2'])
      expect(story.stdout).to.contain(upid).and.contain('by recover: ')
    })

    it('waits for what ends soon, and says that it waits', async () => {
      await leaveRunning(3)
      const {code, stdout, stderr} = await felhom(['recover', '--wait', '20s'])
      expect({code, stderr}).to.deep.equal({
        code: 0,
        stderr: 'Waiting for what cannot be told yet; Ctrl-C leaves it for later.\n',
      })
      expect(stdout).to.contain(`${RUN}.2  succeeded`)
    })

    it('is left at once with Ctrl-C, and exits with 130', async () => {
      const upid = await leaveRunning()
      const config = join(state.project, 'felhom.yaml')
      writeFileSync(config, 'felhom: 1\nstate: .felhom/\n')
      const terminal = await Terminal.open(['recover', '--config', config], sandbox.env)
      try {
        await terminal.readWhen(/Ctrl-C leaves it for later/)
        await terminal.press('C-c')
        expect(await terminal.exitCode()).to.equal(130)
      } finally {
        await terminal.close()
      }
      expect((await felhom(['journal', 'inflight', '--offline'])).stdout).to.contain(upid)
    })

    it('writes nothing with --dry-run, and takes no lock', async () => {
      await leaveRunning()
      await sandbox.reset()
      const before = state.contents()
      await whileLocked(async () => {
        const {code, stdout} = await felhom(['recover', '--dry-run'])
        expect(code).to.equal(5)
        expect(stdout).to.contain('would settle it as ').and.contain('would be settled')
      })
      expect(state.contents()).to.deep.equal(before)
    })

    it('changes nothing and exits with 6 where Proxmox cannot be reached or refuses the token', async () => {
      await leaveRunning()
      const before = state.contents()
      const gone = await sandboxGone(() => felhom(['recover', '--wait', '0s']))
      const refused = await felhom(['recover', '--wait', '0s'], {
        FELHOM_TOKEN: `${TOKEN_ID}=00000000-0000-0000-0000-000000000000`,
      })
      expect([gone.code, refused.code]).to.deep.equal([6, 6])
      expect(state.contents()).to.deep.equal(before)
    })

    it('refuses a journal of another Proxmox with 7', async () => {
      await leaveRunning()
      const other = {FELHOM_ENDPOINT: sandbox.url.replace('127.0.0.1', 'localhost')}
      const run = await felhom(['recover', '--json'], other)
      expect(run.code).to.equal(7)
      expect(parse(run).error?.code).to.equal('journal_mismatch')
    })
  })

  describe('the lock', () => {
    it('lets one in at a time: the other waits, then names who holds it and exits with 7', async () => {
      await leaveDone()
      await whileLocked(async () => {
        const runs = await Promise.all(
          [['recover'], ['journal', 'compact']].map((args) =>
            felhom([...args, '--lock-timeout', '300ms', '--json']),
          ),
        )
        for (const run of runs) {
          expect(run.code).to.equal(7)
          expect(parse(run).error?.code).to.equal('journal_locked')
          expect(run.stderr).to.match(/^Waiting for the state directory: /)
        }
      })
      expect((await felhom(['recover'])).code).to.equal(0)
    })

    it('is waited for by as many as come', async () => {
      await leaveDone()
      const runs = await Promise.all(
        Array.from({length: 4}, () => felhom(['recover', '--lock-timeout', '50s'])),
      )
      expect(runs.map(({code}) => code)).to.deep.equal([0, 0, 0, 0])
      expect((await felhom(['journal', 'verify'])).code).to.equal(0)
    })
  })

  describe('journal verify', () => {
    it('counts segments, records and open operations, and names the head', async () => {
      await leaveDone()
      await leaveQuarantined()
      const {code, stdout} = await felhom(['journal', 'verify'])
      expect(code).to.equal(0)
      expect(stdout).to.match(/^segments +1 \(00000001\.log\)$/m)
      expect(stdout)
        .to.match(/^open operations +1$/m)
        .and.match(/^head +[0-9a-f]{32}$/m)
      expect(stdout).to.contain('Every record is as it was written.')
    })

    it('names file, line and byte of the damage, and every other command is as loud', async () => {
      await leaveDone()
      await leaveRunning()
      state.damage('00000001.log', 3)
      const before = state.contents()
      const commands = [
        ['journal', 'verify'],
        ['journal', 'inflight'],
        ['journal', 'list'],
        ['journal', 'show', 'ab12.1'],
        ['journal', 'compact'],
        ['journal', 'resolve', 'ab12.2', '--as', 'failed', '--auto-approve'],
        ['journal', 'rearm', '--auto-approve'],
        ['recover'],
      ]
      for (const args of commands) {
        const {code, stdout, stderr} = await felhom(args)
        expect(code, args.join(' ')).to.equal(7)
        expect((stdout + stderr).replaceAll(/\s+/g, ' '), args.join(' ')).to.match(
          /00000001\.log(?::3:|, line 3 )/,
        )
      }
      const offset =
        state.read('00000001.log').toString('latin1').split('\n').slice(0, 2).join('\n').length + 1
      expect((await felhom(['journal', 'verify'])).stdout).to.contain(`DAMAGED  00000001.log:3:${offset}: `)
      expect(state.contents()).to.deep.equal(before)
    })

    it("repairs only at the operator's word, and keeps everything aside", async () => {
      await leaveDone()
      await leaveRunning()
      state.damage('00000001.log', 3)
      const damaged = state.read('00000001.log')
      const piped = await felhom(['journal', 'verify', '--repair'])
      expect(piped.code).to.equal(64)
      expect(piped.stderr).to.contain('there is no terminal to ask on')
      expect(state.read('00000001.log').equals(damaged)).to.equal(true)

      const repaired = await felhom(['journal', 'verify', '--repair', '--auto-approve'])
      expect(repaired.code).to.equal(0)
      expect(repaired.stdout).to.contain('Kept aside, unchanged:').and.contain('felhom journal rearm')
      expect(Object.values(state.contents())).to.include(damaged.toString('latin1'))
      expect((await felhom(['journal', 'verify'])).code).to.equal(0)
      const rearm = await felhom(['journal', 'rearm', '--auto-approve'])
      expect(rearm.code).to.equal(0)
      expect(rearm.stdout).to.contain('Destructive work is armed again.')
      expect((await felhom(['journal', 'rearm'])).stdout).to.equal('Nothing is disarmed.\n')
    })

    it('has nothing to repair in a journal that is whole', async () => {
      await leaveDone()
      const before = state.contents()
      const {code, stdout} = await felhom(['journal', 'verify', '--repair', '--auto-approve'])
      expect(code).to.equal(0)
      expect(stdout).to.contain('Every record is as it was written.')
      expect(state.contents()).to.deep.equal(before)
    })

    it('is not fooled by files that others could have written', async () => {
      await leaveDone()
      chmodSync(join(state.path, 'journal', '00000001.log'), 0o666)
      const run = await felhom(['journal', 'verify', '--json'])
      expect(run.code).to.equal(7)
      expect(parse(run).error).to.deep.include({code: 'state_unsafe'})
    })
  })

  describe('journal resolve', () => {
    it("takes the operator's word on a quarantined operation, once", async () => {
      await leaveQuarantined()
      const resolve = [
        'journal',
        'resolve',
        'ab12.3',
        '--as',
        'failed',
        '--reason',
        'looked at it',
        '--auto-approve',
      ]
      const {code, stdout} = await felhom(resolve)
      expect(stdout)
        .to.contain(`${RUN}.3  quarantined`)
        .and.contain(`${RUN}.3 has failed; its guest is released.`)
      expect(code).to.equal(0)
      expect((await felhom(['journal', 'show', 'ab12.3'])).stdout).to.contain('by operator: looked at it')
      const again = await felhom(resolve)
      expect(again.code).to.equal(64)
      expect(again.stderr).to.contain('no open operation')
    })

    it('refuses while the task runs, unless forced', async () => {
      await leaveRunning()
      const resolve = ['journal', 'resolve', 'ab12.2', '--as', 'failed', '--auto-approve']
      const refused = await felhom([...resolve, '--json'])
      expect(refused.code).to.equal(5)
      expect(parse(refused).error).to.deep.include({
        code: 'needs_recover',
        message: `${RUN}.2 may not be over: its task is running`,
      })
      expect((await felhom([...resolve, '--force'])).code).to.equal(0)
    })

    it('goes on with a warning where Proxmox cannot be asked', async () => {
      await leaveQuarantined()
      const {code, stderr} = await sandboxGone(() =>
        felhom(['journal', 'resolve', 'ab12.3', '--as', 'succeeded', '--auto-approve']),
      )
      expect(code).to.equal(0)
      expect(stderr).to.match(/^Warning: Proxmox could not be asked about it: /)
    })

    it('asks on a terminal, and takes nothing but yes', async () => {
      await leaveQuarantined()
      const config = join(state.project, 'felhom.yaml')
      writeFileSync(config, 'felhom: 1\nstate: .felhom/\n')
      const args = ['journal', 'resolve', 'ab12.3', '--as', 'failed', '--config', config]
      expect(await answer(args, 'y')).to.equal(64)
      expect((await felhom(['journal', 'inflight', '--offline'])).code).to.equal(5)
      expect(await answer(args, 'yes')).to.equal(0)
      expect((await felhom(['journal', 'inflight', '--offline'])).code).to.equal(0)
    })
  })

  const answer = async (args: string[], word: string): Promise<number> => {
    const terminal = await Terminal.open(args, sandbox.env)
    try {
      await terminal.readWhen(/Only 'yes' will be accepted/)
      await terminal.press(word)
      await terminal.press('Enter')
      return await terminal.exitCode()
    } finally {
      await terminal.close()
    }
  }

  describe('journal rearm', () => {
    it("shows the unknown tasks, and keeps the operator's word in the journal", async () => {
      const upid = 'UPID:pve:0000C3A1:0012F5B4:691BF0FF:vzdestroy:105:root@pam!felhom:'
      await state.write((journal) => journal.disarm([upid]))
      const asked = await felhom(['journal', 'rearm'])
      expect(asked.code).to.equal(64)
      expect(asked.stdout).to.match(/^2025-11-18T\d\d:\d\d:\d\dZ .* pve +vzdestroy +105$/m)
      const run = await felhom(['journal', 'rearm', '--auto-approve', '--json'])
      expect(parse(run).result).to.deep.equal({rearmed: [upid]})
      expect(state.read('00000001.log').toString()).to.match(/"type":"rearmed".*vzdestroy/)
      expect((await felhom(['journal', 'rearm'])).code).to.equal(0)
    })

    it('is called for when Proxmox shows a task of ours that the journal does not know', async () => {
      await state.write(
        () => Promise.resolve(),
        () => Date.now() - 3_600_000,
      )
      await sandbox.call('POST', '/nodes/pve/lxc/102/status/start')
      const {stderr} = await felhom(['recover'])
      expect(stderr.replaceAll(/\s+/g, ' ')).to.contain('felhom journal rearm')
    })
  })

  describe('journal compact', () => {
    it('removes what is old, keeps what is open, and says so', async () => {
      const old = (): number => Date.now() - 200 * 86_400_000
      await state.write(async (journal) => {
        await journal.start(operation(1, 101, {type: 'restart'}))
        await journal.settle(`${RUN}.1`, {state: 'succeeded', by: 'engine', reason: ''})
        await journal.start(operation(2, 102, {type: 'start'}))
        await journal.rotate()
      }, old)
      expect((await felhom(['journal', 'compact', '--older-than', '1000d'])).stdout).to.match(
        /^Nothing is old/,
      )
      const {code, stdout} = await felhom(['journal', 'compact', '--rotate'])
      expect(code).to.equal(0)
      expect(stdout).to.equal('removed 00000001.log\n\n1 removed, 2 segments kept.\n')
      const list = await felhom(['journal', 'list'])
      expect(list.stdout).to.contain('ab12.2').and.not.contain('ab12.1')
      expect((await felhom(['journal', 'verify'])).code).to.equal(0)
    })
  })
})

function isLocked(lock: string): Promise<boolean> {
  return new Promise((resolve) => {
    spawn('flock', ['-n', lock, 'true'], {stdio: 'ignore'}).once('exit', (code) => {
      resolve(code !== 0)
    })
  })
}

const isRunning = (status: unknown): boolean => (status as {status: string}).status === 'running'

import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {OperationBody} from '../../../src/lib/model/operation.ts'
import {removeGuest} from '../../../src/lib/sandbox/guest/registry.ts'
import {MARKER, onlyDecision, OTHER_TOKEN, RecoveryBench, TEMPLATE} from '../../support/recovery-bench.ts'
import {rejection} from '../../support/reject.ts'

const STOPPED: GuestAddress = {kind: 'lxc', vmid: 102, node: 'pve2'}
const RUNNING: GuestAddress = {kind: 'lxc', vmid: 101, node: 'pve2'}
const MACHINE: GuestAddress = {kind: 'qemu', vmid: 201, node: 'pve2'}
const MANAGED: GuestAddress = {kind: 'qemu', vmid: 203, node: 'pve2'}
const NEW: GuestAddress = {kind: 'lxc', vmid: 301, node: 'pve2'}
const start: OperationBody = {type: 'start'}
const create: OperationBody = {
  type: 'create',
  from: {template: TEMPLATE, storage: 'nas'},
  options: {hostname: 'new', net0: `name=eth0,bridge=vmbr0,hwaddr=${MARKER}`, rootfs: 'nas:4'},
  secrets: [],
  marker: [MARKER],
}
const cloneOf = (clone: number): OperationBody => ({
  type: 'create',
  from: {clone, full: true},
  sourceNode: 'pve2',
  options: {},
  secrets: [],
  marker: [],
})
const rename = (hostname: string): OperationBody => ({type: 'set-config', set: {hostname}, delete: []})
const MINUTE_MS = 60_000

describe('recover of a config change', () => {
  it('that was carried out though no answer came is satisfied', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(RUNNING, rename('new'))
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'satisfied', by: 'recover'})
  })

  it('that never arrived has failed, to be planned again', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(RUNNING, rename('new'), 'never arrived')
    await bench.recover()
    expect(bench.operation(op).state).to.equal('failed')
  })

  it('whose option others have changed is superseded', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(RUNNING, rename('new'), 'never arrived')
    bench.guest(101).config['hostname'] = 'theirs'
    await bench.recover()
    expect(bench.operation(op).state).to.equal('superseded')
  })

  it('is not judged before it has had the time to wait for the config lock', async () => {
    const bench = new RecoveryBench()
    bench.guest(101).knobs.configLockHeldUntilMs = bench.clock.now() + 8_000
    const op = await bench.interrupt(RUNNING, rename('new'), {lateMs: 1_000})
    expect(onlyDecision(await bench.recover({waitMs: 0})).verdict).to.equal('stay')
    await bench.recover()
    expect(bench.operation(op).state).to.equal('satisfied')
  })

  it('asks for no list of tasks, for it starts none', async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(RUNNING, rename('new'))
    await bench.clock.advance(MINUTE_MS)
    const before = bench.connection.requests.length
    await bench.recover()
    const asked = bench.connection.requests.slice(before).filter(({params}) => params.includes('vmid='))
    expect(asked).to.deep.equal([])
  })
})

describe('recover in search of the task of a request without an answer', () => {
  it('waits until the request has had the time to show itself', async () => {
    const bench = new RecoveryBench()
    const atMs = bench.clock.now()
    const op = await bench.interrupt(STOPPED, start, {lateMs: 20_000})
    await bench.clock.advance(10_000)
    const result = await bench.recover({waitMs: 0})
    expect(result.lookAgainMs).to.equal(atMs + 45_000)
    expect(bench.operation(op).state).to.equal('started')
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'succeeded', upid: bench.lastTask().upid})
  })

  it('does not take a task that was listed before the request', async () => {
    const bench = new RecoveryBench()
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start')
    await bench.clock.advance(10_000)
    bench.guest(102).runtime = {status: 'stopped'}
    const op = await bench.interrupt(STOPPED, start, 'never arrived')
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'failed'}).and.not.have.property('upid')
  })

  it("does not take another token's task", async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start, 'never arrived')
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start', '', OTHER_TOKEN)
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'satisfied'}).and.not.have.property('upid')
  })

  it('does not take a task of another type', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(RUNNING, {type: 'restart'}, 'never arrived')
    await bench.request('POST', '/nodes/pve2/lxc/101/status/shutdown')
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'superseded'}).and.not.have.property('upid')
  })

  it("does not take a task that is another operation's", async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(STOPPED, start, 'never arrived', {op: 'second'})
    const first = await bench.interrupt({...STOPPED, vmid: 999}, start, 'never arrived')
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start')
    await bench.journal.taskRunning(first, bench.lastTask().upid)
    await bench.recover()
    expect(bench.operation('second')).not.to.have.property('upid')
  })

  it('looks where the guest is now, too', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start, 'never arrived')
    bench.guest(102).node = 'pve3'
    await bench.request('POST', '/nodes/pve3/lxc/102/status/start')
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'succeeded', upid: bench.lastTask().upid})
  })

  it('finds a task that still runs, and waits for its end', async () => {
    const bench = new RecoveryBench()
    bench.cluster.state.knobs.startDelaySeconds = 50
    const op = await bench.interrupt(STOPPED, start)
    await bench.recover()
    expect(bench.operation(op).state).to.equal('succeeded')
  })

  it('leaves it to a person if two tasks could be it', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start)
    await bench.clock.advance(10_000)
    bench.guest(102).runtime = {status: 'stopped'}
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start')
    await bench.recover()
    expect(bench.operation(op).state).to.equal('quarantined')
    expect(bench.operation(op)).not.to.have.property('upid')
  })

  it('leaves it to a person if one task could be of either of two operations', async () => {
    const bench = new RecoveryBench()
    bench.journal.sharesSources = true
    const copies = [
      await bench.interrupt({...MACHINE, vmid: 305}, cloneOf(201), 'never arrived'),
      await bench.interrupt({...MACHINE, vmid: 306}, cloneOf(201)),
    ]
    await bench.recover()
    for (const op of copies) {
      expect(bench.operation(op).state).to.equal('quarantined')
      expect(bench.operation(op)).not.to.have.property('upid')
    }
  })

  it('tells two copies of one source apart if one of them was listed before the other was asked for', async () => {
    const bench = new RecoveryBench()
    bench.journal.sharesSources = true
    const first = await bench.interrupt({...MACHINE, vmid: 305}, cloneOf(201), 'upid')
    const second = await bench.interrupt({...MACHINE, vmid: 306}, cloneOf(201))
    await bench.recover()
    expect(bench.operation(first).state).to.equal('succeeded')
    expect(bench.operation(second)).to.include({state: 'succeeded', upid: bench.lastTask().upid})
  })

  it('counts from its own start if the clock was put back since the request', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start, 'no answer', {
      atMs: bench.clock.now() + 24 * 60 * MINUTE_MS,
    })
    await bench.recover()
    expect(bench.operation(op).state).to.equal('succeeded')
  })
})

describe('recover of a creation that nobody saw begin', () => {
  it('calls it failed only when there was nothing at two looks, ten minutes apart', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(NEW, create, 'never arrived')
    const first = await bench.recover()
    const seenMs = bench.operation(op).absentSinceMs
    expect(first.lookAgainMs).to.equal((seenMs ?? 0) + 10 * MINUTE_MS)
    await bench.clock.advance(9 * MINUTE_MS)
    await bench.recover({waitMs: 0})
    expect(bench.operation(op)).to.include({state: 'started', absentSinceMs: seenMs})
    await bench.clock.advance(MINUTE_MS)
    await bench.recover({waitMs: 0})
    expect(bench.operation(op).state).to.equal('failed')
  })

  it('finds the guest that a late request has made between the two looks', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(NEW, create, {lateMs: 5 * MINUTE_MS})
    await bench.recover()
    await bench.clock.advance(10 * MINUTE_MS)
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'succeeded', upid: bench.lastTask().upid})
  })

  it('begins to count again when a guest was there meanwhile', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(NEW, create, 'never arrived')
    await bench.recover()
    await bench.request('POST', '/nodes/pve2/lxc/102/clone', 'newid=301&full=1', OTHER_TOKEN)
    await bench.clock.advance(5 * MINUTE_MS)
    await bench.recover()
    expect(bench.operation(op).state).to.equal('quarantined')
    removeGuest(bench.cluster, 301)
    await bench.clock.advance(6 * MINUTE_MS)
    await bench.recover({waitMs: 0})
    expect(bench.operation(op).state).to.equal('quarantined')
    await bench.clock.advance(10 * MINUTE_MS)
    await bench.recover({waitMs: 0})
    expect(bench.operation(op).state).to.equal('failed')
  })

  const doubts: Record<string, (bench: RecoveryBench) => void> = {
    'a node is offline': (bench) => {
      bench.setOnline('pve3', false)
    },
    'the cluster has no quorum': (bench) => {
      bench.cluster.state.quorate = false
    },
  }
  for (const [why, doubt] of Object.entries(doubts)) {
    it(`takes nothing for absent while ${why}`, async () => {
      const bench = new RecoveryBench()
      const op = await bench.interrupt(NEW, create, 'never arrived')
      doubt(bench)
      await bench.recover()
      await bench.clock.advance(20 * MINUTE_MS)
      await bench.recover()
      expect(bench.operation(op)).to.include({state: 'started'}).and.not.have.property('absentSinceMs')
    })
  }

  it('takes nothing for absent that its token may not see', async () => {
    const bench = new RecoveryBench('few@pve!felhom=44444444-5555-6666-7777-888888888888')
    const full = new RecoveryBench()
    await full.interrupt(NEW, create, 'never arrived')
    const [intent] = full.journal.openOperations().map((operation) => operation.intent)
    if (intent) await bench.journal.start(intent)
    await bench.clock.advance(MINUTE_MS)
    const {decisions} = await bench.recover({tokenId: 'few@pve!felhom', waitMs: 0})
    expect(decisions.map(({decision}) => decision.verdict)).to.deep.equal(['stay'])
    expect(bench.journal.openOperations()[0]).not.to.have.property('absentSinceMs')
  })
})

describe('recover of what is quarantined', () => {
  it('adopts the one late task that matches, and ends it by that', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, {type: 'destroy'}, {lateMs: 5 * MINUTE_MS})
    await bench.recover()
    expect(bench.operation(op).state).to.equal('quarantined')
    await bench.clock.advance(10 * MINUTE_MS)
    await bench.recover()
    expect(bench.operation(op)).to.include({state: 'succeeded', by: 'recover', upid: bench.lastTask().upid})
  })

  it('leaves it as it is while nothing has changed, and writes nothing', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, {type: 'destroy'}, 'never arrived')
    await bench.recover()
    const records = bench.journal.records.length
    const result = await bench.recover()
    expect(onlyDecision(result).verdict).to.equal('quarantine')
    expect(result.open.map(({intent}) => intent.op)).to.deep.equal([op])
    expect(result).not.to.have.property('lookAgainMs')
    expect(bench.journal.records).to.have.lengthOf(records)
  })

  it('ends a creation as failed once its debris has been cleared away', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(NEW, create, 'upid')
    bench.cluster.tasks.kill(bench.lastTask().upid)
    await bench.recover()
    expect(bench.operation(op).state).to.equal('quarantined')
    removeGuest(bench.cluster, 301)
    await bench.recover()
    expect(bench.operation(op).state).to.equal('failed')
  })
})

describe('recover in its time', () => {
  it('never waits for more than a minute, and says when to come back', async () => {
    const bench = new RecoveryBench()
    bench.cluster.state.knobs.startDelaySeconds = 600
    const op = await bench.interrupt(STOPPED, start, 'upid')
    const beganMs = bench.clock.now()
    const result = await bench.recover({waitMs: 3_600_000})
    expect(bench.clock.now() - beganMs).to.equal(MINUTE_MS)
    expect(onlyDecision(result).verdict).to.equal('wait')
    expect(result.lookAgainMs).to.be.greaterThan(bench.clock.now())
    expect(result.open.map(({intent}) => intent.op)).to.deep.equal([op])
  })

  it('does not wait longer because the clock was put back meanwhile', async () => {
    const bench = new RecoveryBench()
    bench.cluster.state.knobs.startDelaySeconds = 600
    await bench.interrupt(STOPPED, start, 'upid')
    const beganMs = bench.clock.now()
    const clock = {
      now: () => bench.clock.now() - (bench.clock.now() > beganMs ? 24 * 60 * MINUTE_MS : 0),
      sleep: (ms: number) => bench.clock.sleep(ms),
    }
    await bench.recover({clock})
    expect(bench.clock.now() - beganMs).to.equal(MINUTE_MS)
  })

  it('asks seldom of a task that runs long', async () => {
    const bench = new RecoveryBench()
    bench.cluster.state.knobs.startDelaySeconds = 600
    await bench.interrupt(STOPPED, start, 'upid')
    await bench.recover()
    const polls = bench.connection.requests.filter(
      ({path}) => path.endsWith('/status') && path.includes('UPID'),
    )
    expect(polls.length).to.be.within(10, 25)
  })

  it('waits not at all if told so', async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(STOPPED, start, 'upid')
    const beganMs = bench.clock.now()
    await bench.recover({waitMs: 0})
    expect(bench.clock.now()).to.equal(beganMs)
  })

  it('stops waiting when it is told to, and leaves the rest open', async () => {
    const bench = new RecoveryBench()
    bench.cluster.state.knobs.startDelaySeconds = 600
    const op = await bench.interrupt(STOPPED, start, 'upid')
    const stop = new AbortController()
    const beganMs = bench.clock.now()
    void bench.clock.sleep(3_000).then(() => {
      stop.abort()
    })
    await bench.recover({signal: stop.signal})
    expect(bench.clock.now() - beganMs).to.equal(3_000)
    expect(bench.operation(op).state).to.equal('task_running')
  })

  it('gives the HA manager time to follow', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(MANAGED, start)
    await bench.recover()
    const adopted = bench.tasks.find(({upid}) => upid === bench.operation(op).upid)
    expect(adopted?.type).to.equal('hastart')
    expect(bench.operation(op).state).to.equal('succeeded')
  })

  it('gives a machine that reboots time to come up again', async () => {
    const bench = new RecoveryBench()
    const machine = {...MACHINE, vmid: 202}
    const op = await bench.interrupt(machine, {type: 'restart'}, 'upid')
    await bench.recover()
    expect(bench.operation(op).state).to.equal('succeeded')
    expect(bench.guest(202).runtime.status).to.equal('running')
  })
})

describe('recover of several operations', () => {
  it('settles the others though one of them cannot be seen', async () => {
    const bench = new RecoveryBench()
    const far = await bench.interrupt({kind: 'lxc', vmid: 101, node: 'pve2'}, {type: 'restart'}, 'upid')
    const near = await bench.interrupt({kind: 'lxc', vmid: 104, node: 'pve1'}, start, 'upid')
    bench.setOnline('pve2', false)
    const result = await bench.recover()
    expect(bench.operation(far).state).to.equal('task_running')
    expect(bench.operation(near).state).to.equal('succeeded')
    expect(result.lookAgainMs).to.be.greaterThan(0)
  })

  it('settles the others though looking at one of them hits a bug, and then says so', async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(RUNNING, {type: 'restart'}, 'upid')
    const fine = await bench.interrupt(STOPPED, start, 'upid')
    await bench.clock.advance(MINUTE_MS)
    const readGuest: typeof bench.reader.readGuest = (guest) =>
      guest.vmid === 101 ? Promise.reject(new TypeError('a bug')) : bench.reader.readGuest(guest)
    const work = bench.recover({reader: {...bench.reader, readGuest}})
    expect(await work.catch((error: unknown) => error)).to.be.instanceOf(TypeError)
    expect(bench.operation(fine).state).to.equal('succeeded')
  })

  it('looks at the task first, so that the guest is seen as the task has left it', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start, 'upid')
    const taskStatus: typeof bench.reader.taskStatus = async (upid) => {
      await bench.clock.sleep(5_000)
      return bench.reader.taskStatus(upid)
    }
    await bench.recover({reader: {...bench.reader, taskStatus}})
    expect(bench.operation(op).state).to.equal('succeeded')
  })

  it('reads the whole cluster once for all that are missing', async () => {
    const bench = new RecoveryBench()
    for (const vmid of [101, 102, 103]) {
      const target: GuestAddress = {kind: 'lxc', vmid, node: 'pve2'}
      await bench.interrupt(target, rename('gone'), 'never arrived')
      removeGuest(bench.cluster, vmid)
    }
    await bench.clock.advance(MINUTE_MS)
    const before = bench.connection.requests.length
    await bench.recover()
    const reads = bench.connection.requests.slice(before).filter(({path}) => path === '/cluster/status')
    expect(reads).to.have.lengthOf(1)
  })
})

describe('recover that is interrupted itself', () => {
  /** One of each way to an end, so that every kind of record is written. */
  async function leaveOpen(): Promise<{bench: RecoveryBench; ops: string[]}> {
    const bench = new RecoveryBench()
    const ops = [
      await bench.interrupt(STOPPED, start),
      await bench.interrupt(NEW, create, 'never arrived'),
      await bench.interrupt(MACHINE, {type: 'destroy'}, 'never arrived'),
      await bench.interrupt(RUNNING, rename('new')),
    ]
    return {bench, ops}
  }

  it('converges to the same, whichever record it could not write', async () => {
    const whole = await leaveOpen()
    await whole.bench.recoverFully()
    const expected = whole.ops.map((op) => whole.bench.operation(op).state)
    expect(expected).to.deep.equal(['succeeded', 'failed', 'quarantined', 'satisfied'])
    const appends = whole.bench.journal.records.length - whole.ops.length
    expect(appends).to.be.greaterThan(4)
    for (let crash = 1; crash <= appends; crash++) {
      const {bench, ops} = await leaveOpen()
      let appended = 0
      bench.journal.failure = () =>
        ++appended === crash ? new FelhomError('journal_failed', 'the disk is full') : undefined
      const error = await rejection(bench.recoverFully())
      expect(error).to.include({code: 'journal_failed'})
      bench.journal.reopen()
      await bench.recoverFully()
      expect(ops.map((op) => bench.operation(op).state)).to.deep.equal(expected)
    }
  })

  it('does not look for a task again that it had adopted', async () => {
    const bench = new RecoveryBench()
    const op = await bench.interrupt(STOPPED, start)
    bench.journal.failure = (call) =>
      call === 'settle' ? new FelhomError('journal_failed', 'the disk is full') : undefined
    await rejection(bench.recover())
    expect(bench.operation(op)).to.include({state: 'task_running', upid: bench.lastTask().upid})
  })
})

describe('recover on trial', () => {
  it('decides the same and writes nothing', async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(STOPPED, start)
    await bench.interrupt(MACHINE, {type: 'destroy'}, 'never arrived')
    await bench.interrupt(NEW, create, 'never arrived')
    await bench.clock.advance(MINUTE_MS)
    await bench.request('POST', '/nodes/pve1/lxc/104/status/start')
    const records = bench.journal.records.length
    const trial = await bench.recover({dryRun: true, waitMs: 0})
    expect(bench.journal.records).to.have.lengthOf(records)
    expect(bench.journal.disarmed()).to.deep.equal([])
    const real = await bench.recover({waitMs: 0})
    expect(trial.decisions.map(({decision}) => decision.verdict)).to.deep.equal([
      'succeeded',
      'quarantine',
      'stay',
    ])
    expect(real.decisions.map(({decision}) => decision.verdict)).to.deep.equal([
      'succeeded',
      'quarantine',
      'stay',
    ])
    expect(trial.disarmed).to.deep.equal(real.disarmed)
  })

  it('sends nothing that could change anything, ever', async () => {
    const bench = new RecoveryBench()
    await bench.interrupt(STOPPED, start)
    await bench.interrupt(NEW, create, 'never arrived')
    const before = bench.connection.requests.length
    await bench.recoverFully()
    const methods = bench.connection.requests.slice(before).map(({method}) => method)
    expect(new Set(methods)).to.deep.equal(new Set(['GET']))
  })
})

describe('tasks of our token that the journal does not know', () => {
  it('take the right to destroy away', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start')
    const {disarmed} = await bench.recover()
    expect(disarmed).to.deep.equal([bench.lastTask().upid])
    expect(bench.journal.disarmed()).to.deep.equal([bench.lastTask().upid])
  })

  it('are noted once', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start')
    await bench.recover()
    let appended = 0
    bench.journal.failure = () => {
      appended++
      return undefined
    }
    await bench.recover()
    expect(appended).to.equal(0)
  })

  it('are not those of another token, or of an operation', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    await bench.request('POST', '/nodes/pve2/lxc/102/status/start', '', OTHER_TOKEN)
    await bench.interrupt(MACHINE, start)
    const {disarmed} = await bench.recover()
    expect(disarmed).to.deep.equal([])
  })

  it('are not those about a guest of which an operation is open', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    const op = await bench.interrupt(STOPPED, start)
    const {disarmed} = await bench.recover({waitMs: 0})
    expect(bench.operation(op).state).to.equal('started')
    expect(disarmed).to.deep.equal([])
  })

  it('are looked for on the other nodes when one does not answer', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    await bench.request('POST', '/nodes/pve1/lxc/104/status/start')
    const listTasks: typeof bench.reader.listTasks = (node, filter) =>
      node === 'pve2'
        ? Promise.reject(new FelhomError('gateway_timeout', 'pve2 does not answer'))
        : bench.reader.listTasks(node, filter)
    const {disarmed} = await bench.recover({reader: {...bench.reader, listTasks}})
    expect(disarmed).to.deep.equal([bench.lastTask().upid])
  })

  it('are looked for on the other nodes when one is offline', async () => {
    const bench = new RecoveryBench()
    await bench.clock.advance(5_000)
    await bench.request('POST', '/nodes/pve1/lxc/104/status/start')
    bench.setOnline('pve2', false)
    expect((await bench.recover()).disarmed).to.deep.equal([bench.lastTask().upid])
  })
})

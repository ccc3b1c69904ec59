import {expect} from 'chai'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {ActionResult} from '../../../src/lib/model/run-event.ts'
import type {RunOptions} from '../../../src/lib/engine/run-options.ts'
import type {InProcessFault} from '../../../src/lib/testing/in-process-connection.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench, once, openGate} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})
const stopped = desiredGuest(101, {}, {run: 'stopped'})
const memory = desiredGuest(101, {memory: '1024'})
const started = desiredGuest(150, {}, {run: 'running'})

/** One guest with one action, and a fault on its request. */
async function applyOne(
  it: EngineBench,
  guest: DesiredGuest,
  fault?: InProcessFault,
  options: Partial<RunOptions> = {},
): Promise<ActionResult> {
  if (fault) it.fault = once(guest.options.size > 0 ? 'PUT' : 'POST', /./, fault)
  const {results} = await it.apply([guest], options)
  const [result] = results
  if (!result || results.length > 1) throw new Error(`${results.length} results`)
  return result
}

/** Whatever the answer was, it was sent once. */
const expectOneRequest = (it: EngineBench): void => {
  expect(it.sent()).to.have.length(1)
}

describe('a write without a clean answer', () => {
  const ANSWERS: readonly (readonly [string, InProcessFault])[] = [
    ['a reset', {kind: 'reset', when: 'after'}],
    ['a cut answer', {kind: 'cut', when: 'after'}],
    ['a 596', {kind: 'status', when: 'after', status: 596}],
    ['a 500', {kind: 'status', when: 'after', status: 500, text: 'cannot apply'}],
    ['a time-out', {kind: 'stall', when: 'after', ms: 60_000}],
  ]
  for (const [name, fault] of ANSWERS) {
    it(`is satisfied if after ${name} all is as wanted`, async () => {
      const it = bench()
      expect((await applyOne(it, memory, fault)).outcome).to.equal('satisfied')
      expect(it.states()).to.deep.equal(['set-config satisfied'])
      expectOneRequest(it)
    })
  }

  for (const [name, fault] of ANSWERS.filter(([, {kind}]) => kind !== 'status')) {
    it(`stays in flight if after ${name} nothing is written: it may still be under way`, async () => {
      const it = bench()
      const result = await applyOne(it, memory, {...fault, when: 'before'} as InProcessFault)
      expect(result.outcome).to.equal('in_flight')
      expect(result.detail).to.contain('felhom recover')
      expect(it.states()).to.deep.equal(['set-config started'])
      expectOneRequest(it)
    })
  }

  it('stays in flight after a 596 with nothing written', async () => {
    const it = bench()
    const result = await applyOne(it, memory, {kind: 'status', when: 'before', status: 596})
    expect(result.outcome).to.equal('in_flight')
    expectOneRequest(it)
  })

  it('has failed after a whole refusal that left everything as it was', async () => {
    const it = bench()
    const result = await applyOne(it, memory, {kind: 'status', when: 'before', status: 500, text: 'no'})
    expect(result).to.include({outcome: 'failed', op: 'r.1'})
    expect(result.detail).to.contain('500 no')
    expect(it.states()).to.deep.equal(['set-config failed'])
    expectOneRequest(it)
  })

  it('has failed without any look when it was surely not carried out', async () => {
    const it = bench()
    const result = await applyOne(it, memory, {kind: 'refused'})
    expect(result.outcome).to.equal('failed')
    expect(it.sent('all')).to.have.length(2)
  })

  it('stays in flight if the guest cannot be read afterwards', async () => {
    const it = bench()
    let wasSent = false
    it.fault = ({method}) => {
      if (method === 'PUT') {
        wasSent = true
        return {kind: 'reset', when: 'after'}
      }
      return wasSent ? {kind: 'status', when: 'before', status: 595} : undefined
    }
    const {results} = await it.apply([memory])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight'])
  })

  it('is satisfied if a machine keeps as pending what could not be hot-plugged', async () => {
    const it = bench()
    const machine = it.sandbox.cluster.guest(200)
    if (machine) machine.config['hotplug'] = 'memory'
    const {results} = await it.apply([desiredGuest(200, {memory: '512'}, {kind: 'qemu'})])
    expect(results[0]?.outcome).to.equal('satisfied')
    expect(results[0]?.detail).to.contain('hotplug problem')
    expect(machine?.pending['memory']).to.equal('512')
    expectOneRequest(it)
  })

  it('has failed if a container refuses to plug it in and takes all of it back', async () => {
    const it = bench()
    const {results} = await it.apply([desiredGuest(101, {net0: {bridge: 'vmbr9'}, memory: '1024'})])
    expect(results[0]?.outcome).to.equal('failed')
    expect(it.sandbox.cluster.guest(101)?.config['memory']).to.equal('512')
    expectOneRequest(it)
  })

  it('is satisfied if Proxmox answers 500 and has saved it all the same', async () => {
    const it = bench()
    const {results} = await it.apply([desiredGuest(150, {net0: {bridge: 'vmbr9'}})])
    expect(results[0]?.outcome).to.equal('satisfied')
    expect(it.sandbox.cluster.guest(150)?.config['net0']).to.contain('bridge=vmbr9')
    expectOneRequest(it)
  })
})

describe('a request without a clean answer that starts a task', () => {
  const LOST: readonly (readonly [string, InProcessFault])[] = [
    ['a reset', {kind: 'reset', when: 'after'}],
    ['a cut answer', {kind: 'cut', when: 'after'}],
    ['a 596', {kind: 'status', when: 'after', status: 596}],
    ['a 500', {kind: 'status', when: 'after', status: 500, text: 'odd'}],
  ]
  for (const [name, fault] of LOST) {
    it(`is awaited all the same if after ${name} its task is listed`, async () => {
      const it = bench()
      const result = await applyOne(it, stopped, fault)
      expect(result.outcome).to.equal('succeeded')
      expect(result.upid).to.contain(':vzshutdown:101:')
      expect(it.journal.records).to.deep.equal(['start r.1', 'taskRunning r.1', 'settle r.1 succeeded'])
      expectOneRequest(it)
    })
  }

  it('stays in flight if there is no task, for it may still come', async () => {
    const it = bench()
    expect((await applyOne(it, stopped, {kind: 'reset', when: 'before'})).outcome).to.equal('in_flight')
    expect(it.states()).to.deep.equal(['shutdown started'])
    expectOneRequest(it)
  })

  it('stays in flight when it arrives late, and is not sent again', async () => {
    const it = bench()
    expect((await applyOne(it, stopped, {kind: 'late', ms: 20_000})).outcome).to.equal('in_flight')
    expectOneRequest(it)
  })

  it('has failed after a whole refusal without a task', async () => {
    const it = bench()
    const fault = {kind: 'status', when: 'before', status: 500, text: 'no such thing'} as const
    expect((await applyOne(it, stopped, fault)).outcome).to.equal('failed')
    expectOneRequest(it)
  })

  it('is satisfied after a refusal if others have done it in the meantime', async () => {
    const it = bench()
    it.fault = (request) => {
      if (request.method === 'POST') {
        const guest = it.sandbox.cluster.guest(150)
        if (guest) guest.runtime.status = 'running'
      }
      return undefined
    }
    const {results} = await it.apply([started])
    expect(results[0]?.outcome).to.equal('satisfied')
    expect(results[0]?.detail).to.contain('already running')
    expectOneRequest(it)
  })

  it('takes no task for its own that was there before', async () => {
    const it = bench()
    await it.sandbox.outcome(it.sandbox.post('/nodes/pve2/lxc/150/status/start', {}))
    await it.sandbox.outcome(it.sandbox.post('/nodes/pve2/lxc/150/status/stop', {}))
    expect((await applyOne(it, started, {kind: 'reset', when: 'before'})).outcome).to.equal('in_flight')
    expect(it.states()).to.deep.equal(['start started'])
  })

  it('stays in flight if the tasks cannot be listed', async () => {
    const it = bench()
    let wasSent = false
    it.fault = ({method}) => {
      if (method === 'POST') {
        wasSent = true
        return {kind: 'reset', when: 'after'}
      }
      return wasSent ? {kind: 'status', when: 'before', status: 595} : undefined
    }
    const {results} = await it.apply([stopped])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight'])
    expectOneRequest(it)
  })
})

describe('the end of a task', () => {
  /** Does something once, as soon as the task is there. */
  const during = (it: EngineBench, act: (upid: string) => void): RunOptions['emit'] => {
    const {emit} = it.runOptions()
    return (event) => {
      emit(event)
      if (event.type === 'task_started') act(event.upid)
    }
  }

  it('that failed fails the action, with the exit status and the last lines of its log', async () => {
    const it = bench()
    const guest = it.sandbox.cluster.guest(150)
    if (guest) guest.knobs.failStart = true
    const result = await applyOne(it, started)
    expect(result.outcome).to.equal('failed')
    expect(result.detail).to.contain('the task ended with: ')
    expect(it.states()).to.deep.equal(['start failed'])
    expectOneRequest(it)
  })

  it('that failed although the goal is reached satisfies it', async () => {
    const it = bench()
    const guest = it.sandbox.cluster.guest(150)
    if (guest) guest.knobs.failStart = true
    // Somebody else starts it just after our task has failed.
    it.fault = ({path}) => {
      const upid = /UPID:[^/]*/.exec(path)?.[0] ?? ''
      const hasFailed = it.sandbox.cluster.tasks.find(upid)?.exitstatus !== undefined
      if (guest && hasFailed) guest.runtime.status = 'running'
      return undefined
    }
    const result = await applyOne(it, started)
    expect(result.outcome).to.equal('satisfied')
    expect(it.states()).to.deep.equal(['start satisfied'])
  })

  it('with warnings is a success that tells of them', async () => {
    const it = bench()
    const guest = it.sandbox.cluster.guest(150)
    if (guest) guest.knobs.warnStart = true
    expect(await applyOne(it, started)).to.include({
      outcome: 'succeeded',
      detail: 'the task ended with WARNINGS: 1',
    })
  })

  it('that nobody knows leaves it in flight, unless the goal is reached', async () => {
    for (const isReached of [false, true]) {
      const it = bench()
      const result = await applyOne(it, stopped, undefined, {
        emit: during(it, (upid) => {
          const task = it.sandbox.cluster.tasks.find(upid)
          if (!isReached) it.sandbox.cluster.tasks.kill(upid)
          const guest = it.sandbox.cluster.guest(101)
          if (guest && isReached) guest.runtime.status = 'stopped'
          if (task) task.lost = true
        }),
      })
      expect(result.outcome).to.equal(isReached ? 'satisfied' : 'in_flight')
      expect(it.states()).to.deep.equal([isReached ? 'shutdown satisfied' : 'shutdown task_running'])
    }
  })

  it('that was killed leaves it in flight, unless the goal is reached', async () => {
    const it = bench()
    const result = await applyOne(it, stopped, undefined, {
      emit: during(it, (upid) => {
        it.sandbox.cluster.tasks.kill(upid)
      }),
    })
    expect(result.outcome).to.equal('in_flight')
    expect(it.states()).to.deep.equal(['shutdown task_running'])
  })

  it('that does not come within our patience leaves it in flight, never failed', async () => {
    const it = bench()
    it.sandbox.cluster.state.knobs.startDelaySeconds = 100
    const result = await applyOne(it, started, undefined, {taskTimeoutMs: 10_000})
    expect(result.outcome).to.equal('in_flight')
    expect(result.detail).to.contain('after 10 s')
    expect(it.states()).to.deep.equal(['start task_running'])
  })

  it('is waited for as long as the shutdown was given, and our patience on top', async () => {
    const it = bench()
    const guest = it.sandbox.cluster.guest(101)
    if (guest) guest.knobs.hang = true
    const wanted = desiredGuest(101, {}, {run: 'stopped', stop: {timeoutMs: 120_000, force: true}})
    expect((await applyOne(it, wanted, undefined, {taskTimeoutMs: 10_000})).outcome).to.equal('succeeded')
  })

  it('is found although every other question about it fails', async () => {
    const it = bench()
    let questions = 0
    it.fault = ({path}) =>
      /\/tasks\/UPID|tasks$/.test(path) && questions++ % 2 === 1
        ? {kind: 'status', when: 'before', status: 596}
        : undefined
    expect((await applyOne(it, stopped)).outcome).to.equal('succeeded')
  })

  it('of a destruction counts only once the guest is gone', async () => {
    const it = bench()
    const plan = await it.plan(desiredGuest(150, {}, {ensure: 'absent'}))
    const lifted = plan.guests.map((one) => ({
      ...one,
      actions: one.actions.map((action) => ({...action, blockers: []})),
    }))
    it.fault = ({path}) =>
      path === '/cluster/nextid' ? {kind: 'status', when: 'before', status: 595} : undefined
    const {results} = await it.carryOut({...plan, guests: lifted}, {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight'])
    expect(it.sent()).to.deep.equal(['DELETE /nodes/pve2/lxc/150'])
  })
})

describe('a resize whose task ended well', () => {
  it('has failed if the config shows the old size all the same, as of a volume that had the new one already', async () => {
    const it = bench()
    const {storages} = it.sandbox.cluster.state
    const volume = storages.flatMap(({volumes}) => volumes).find(({volid}) => volid.includes('vm-200-disk-0'))
    if (!volume) throw new Error('no such volume')
    volume.size = 80 * 1024 ** 3
    const result = await applyOne(it, desiredGuest(200, {scsi0: {size: '80G'}}, {kind: 'qemu'}))
    expect(result.outcome).to.equal('failed')
    expect(result.detail).to.contain('qm disk rescan')
    expect(it.states()).to.deep.equal(['resize failed'])
  })
})

import {expect} from 'chai'
import type {AuthorizedAction, Gate} from '../../../src/lib/gate/gate.ts'
import type {Journal} from '../../../src/lib/engine/ports.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench, openGate} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})
const stopped = {run: 'stopped'} as const
const running = {run: 'running'} as const

describe('carrying out a plan', () => {
  it('writes what differs, and the next plan is empty', async () => {
    const it = bench()
    const guest = desiredGuest(101, {memory: '1024', description: 'new\n'})
    const {results, counts} = await it.apply([guest])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(counts).to.include({succeeded: 1, failed: 0, in_flight: 0})
    expect(it.states()).to.deep.equal(['set-config succeeded'])
    expect((await it.plan(guest)).guests).to.deep.equal([])
  })

  it('takes two requests for a config change: a reading of the config, and the write', async () => {
    const it = bench()
    await it.apply([desiredGuest(101, {memory: '1024'})])
    expect(it.sent('all')).to.deep.equal([
      'GET /nodes/pve1/lxc/101/pending',
      'PUT /nodes/pve1/lxc/101/config',
    ])
  })

  it('sends the digest that was just read', async () => {
    const it = bench()
    await it.apply([desiredGuest(101, {memory: '1024'})])
    const write = it.connection.requests.find(({method}) => method === 'PUT')
    const [operation] = it.journal.operations.values()
    expect(operation?.intent.digest).to.match(/^[0-9a-f]{40}$/)
    expect(new URLSearchParams(write?.params).get('digest')).to.equal(operation?.intent.digest)
  })

  it('reads the guest and the tasks of a power change, and awaits its task', async () => {
    const it = bench()
    await it.apply([desiredGuest(101, {}, stopped)])
    expect(it.sent('all').slice(0, 4)).to.have.members([
      'GET /nodes/pve1/lxc/101/status/current',
      'GET /nodes/pve1/lxc/101/pending',
      'GET /nodes/pve1/tasks',
      'POST /nodes/pve1/lxc/101/status/shutdown',
    ])
    expect(it.journal.records).to.deep.equal(['start r.1', 'taskRunning r.1', 'settle r.1 succeeded'])
    expect(it.sandbox.cluster.guest(101)?.runtime.status).to.equal('stopped')
  })

  it('gives the journal what it replaces, whose guest it is and which tasks there were', async () => {
    const it = bench()
    const upid = await it.sandbox.post('/nodes/pve1/lxc/101/status/reboot', {})
    await it.sandbox.outcome(upid)
    await it.apply([desiredGuest(101, {memory: '1024', swap: null}, stopped)])
    const [write, power] = [...it.journal.operations.values()].map(({intent}) => intent)
    expect(write?.body).to.deep.equal({type: 'set-config', set: {memory: '1024'}, delete: ['swap']})
    expect(write?.before).to.deep.equal({run: 'running', options: {memory: '512', swap: '256'}})
    expect(write?.identity?.ids).to.deep.equal(['hwaddr:BC:24:11:10:01:01', 'rootfs:local-lvm:vm-101-disk-0'])
    expect(write?.knownTasks).to.deep.equal([])
    expect(power?.body).to.deep.equal({type: 'shutdown', timeoutMs: 60_000, force: false})
    expect(power?.knownTasks).to.deep.equal([upid.data])
  })

  it('keeps the order of a guest, and tells everything in the order of the plan', async () => {
    const it = bench()
    const {results} = await it.apply([
      desiredGuest(150, {memory: '2048', rootfs: {size: '10G'}}, running),
      desiredGuest(101, {memory: '1024'}),
      desiredGuest(200, {memory: '4096', cores: '3'}, {kind: 'qemu'}),
    ])
    expect(
      results.map(({guest, action, outcome}) => `${guest.vmid} ${action.type} ${outcome}`),
    ).to.deep.equal([
      '101 set-config succeeded',
      '150 set-config succeeded',
      '150 resize succeeded',
      '150 start succeeded',
      '200 set-config succeeded',
    ])
    const own = it.sent().filter((line) => line.includes('/150/'))
    expect(own).to.deep.equal([
      'PUT /nodes/pve2/lxc/150/config',
      'PUT /nodes/pve2/lxc/150/resize',
      'POST /nodes/pve2/lxc/150/status/start',
    ])
  })

  it('says what waits for a restart', async () => {
    const {results} = await bench().apply([desiredGuest(101, {nameserver: '192.0.2.1'})])
    expect(results[0]).to.include({outcome: 'succeeded', detail: 'nameserver waits for a restart'})
  })

  it('restarts where that is allowed, after the write', async () => {
    const it = bench()
    const {results} = await it.apply([desiredGuest(101, {nameserver: '192.0.2.1'}, {restart: 'allowed'})])
    expect(it.outcomes()).to.deep.equal(['set-config succeeded', 'restart succeeded'])
    expect(results[0]?.detail).to.equal(undefined)
    expect((await it.plan(desiredGuest(101, {nameserver: '192.0.2.1'}))).guests).to.deep.equal([])
  })

  it('tells what happens, as it happens', async () => {
    const it = bench()
    await it.apply([desiredGuest(101, {}, stopped)])
    expect(it.events.map(({type}) => type)).to.deep.equal([
      'run_started',
      'action_started',
      'task_started',
      'action_ended',
      'run_ended',
    ])
    expect(it.events[0]).to.include({run: 'r', guests: 1, actions: 1})
    expect(it.events[1]).to.deep.include({op: 'r.1', action: 'shutdown', node: 'pve1', name: 'dns1'})
    expect(it.events.at(-1)).to.have.nested.property('counts.succeeded', 1)
  })

  it('does not try what the plan says is blocked, and goes on with the rest', async () => {
    const it = bench()
    const {results} = await it.apply([
      desiredGuest(140, {memory: '4096'}),
      desiredGuest(102, {memory: '1024'}, {nodes: ['pve1']}),
    ])
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'set-config succeeded',
      'migrate blocked',
      'set-config blocked',
    ])
    expect(results[2]?.detail).to.contain('locked (backup)')
    expect(it.sent()).to.deep.equal(['PUT /nodes/pve2/lxc/102/config'])
  })

  it('does not try a blocked action even if nothing seems to stand in its way', async () => {
    const it = bench()
    const plan = await it.plan(desiredGuest(101, {memory: '1024'}))
    const blockers = [{code: 'privilege_missing', message: 'the token lacks it'}] as const
    const guests = plan.guests.map((guest) => ({
      ...guest,
      actions: guest.actions.map((action) => ({...action, blockers})),
    }))
    const {results} = await it.carryOut({...plan, guests})
    expect(results[0]).to.include({outcome: 'blocked', detail: 'the token lacks it'})
    expect(it.sent()).to.deep.equal([])
  })

  it('lets nothing pass that the gate refuses, and what does not depend on it goes on', async () => {
    const it = bench()
    const plan = await it.plan(desiredGuest(120, {mp0: null, memory: '2048', protection: null}))
    const lifted = plan.guests.map((guest) => ({
      ...guest,
      actions: guest.actions.map((action) => ({...action, blockers: []})),
    }))
    const {results} = await it.carryOut({...plan, guests: lifted})
    expect(results.filter(({outcome}) => outcome === 'refused')).to.have.length.above(0)
    expect(results.every(({outcome}) => outcome === 'refused' || outcome === 'succeeded')).to.equal(true)
    expect(it.sandbox.cluster.guest(120)?.config['mp0']).to.contain('subvol-120-disk-1')
    expect(it.sandbox.cluster.guest(120)?.config['memory']).to.equal('2048')
  })

  it('asks the gate with the guest as it was just read, inside its lane', async () => {
    const it = bench()
    const digests: (string | undefined)[] = []
    const gate: Gate = {
      authorize: (request) => {
        const {guest} = request
        digests.push(guest?.config.known === true ? guest.config.digest : undefined)
        return Promise.resolve({
          allowed: true,
          authorized: {...request, class: 'benign'} as unknown as AuthorizedAction,
        })
      },
      preview: () => Promise.resolve(undefined),
    }
    await it.apply([desiredGuest(101, {memory: '1024'}, stopped)], {gate})
    const intents = [...it.journal.operations.values()].map(({intent}) => intent.digest)
    expect(digests).to.deep.equal(intents)
    expect(digests[0]).not.to.equal(digests[1])
  })

  it('leaves a guest alone that has an open operation', async () => {
    const it = bench()
    const plan = await it.plan(
      desiredGuest(101, {memory: '1024'}, stopped),
      desiredGuest(102, {memory: '1024'}),
    )
    const [intent] = [{op: 'old.1', run: 'old', target: {kind: 'lxc', vmid: 101, node: 'pve1'}} as const]
    await it.journal.start({
      ...intent,
      body: {type: 'start'},
      class: 'benign',
      before: {run: 'stopped', options: {}},
      knownTasks: [],
      atMs: 0,
    })
    const read = it.connection.requests.length
    const {results} = await it.carryOut(plan)
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['frozen', 'frozen', 'succeeded'])
    expect(results[0]?.detail).to.contain('old.1')
    expect(it.sent()).to.deep.equal(['PUT /nodes/pve2/lxc/102/config'])
    expect(it.connection.requests.slice(read).some(({path}) => path.includes('/101/'))).to.equal(false)
  })

  it('skips what comes after a failure, of that guest alone', async () => {
    const it = bench()
    const web = it.sandbox.cluster.guest(150)
    if (web) web.knobs.failStart = true
    const guests = [desiredGuest(150, {}, running), desiredGuest(101, {memory: '1024'})]
    const plan = await it.plan(...guests)
    const [first, second] = plan.guests
    const twice = second && {...second, actions: [...second.actions, ...second.actions.map((a) => ({...a}))]}
    const {results} = await it.carryOut({...plan, guests: [first, twice].flatMap((one) => one ?? [])})
    expect(results.map(({guest, outcome}) => `${guest.vmid} ${outcome}`)).to.deep.equal([
      '101 succeeded',
      '150 failed',
      '150 skipped',
    ])
  })

  it('starts nothing more once it is told to stop, and lets run what runs', async () => {
    const it = bench()
    const emit = it.runOptions().emit
    const {results} = await it.apply([desiredGuest(101, {}, stopped), desiredGuest(102, {}, stopped)], {
      perNode: 1,
      emit: (event) => {
        emit(event)
        if (event.type === 'task_started') it.stop.abort()
      },
    })
    const outcomes = results.map(({outcome}) => outcome)
    expect(outcomes).to.include('succeeded')
    const before = it.sent().length
    const again = await it.apply([desiredGuest(120, {memory: '2048'})])
    expect(again.results.map(({outcome}) => outcome)).to.deep.equal(['not_started'])
    expect(it.journal.openOperations()).to.deep.equal([])
    expect(before).to.be.at.most(2)
  })

  it('does not begin the second action of a guest after it was told to stop', async () => {
    const it = bench()
    const emit = it.runOptions().emit
    const {results} = await it.apply([desiredGuest(101, {memory: '1024'}, stopped)], {
      emit: (event) => {
        emit(event)
        if (event.type === 'action_started') it.stop.abort()
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'not_started'])
    expect(it.sandbox.cluster.guest(101)?.runtime.status).to.equal('running')
  })

  it('destroys only what the gate let pass with a key, and which is stopped', async () => {
    const it = bench()
    const guest = desiredGuest(101, {}, {ensure: 'absent'})
    const plan = await it.plan(guest)
    const lifted = plan.guests.map((one) => ({
      ...one,
      actions: one.actions.map((action) => ({...action, blockers: []})),
    }))
    const [whole] = lifted
    const bare = whole && {...whole, actions: whole.actions.filter(({type}) => type === 'destroy')}
    const early = await it.carryOut({...plan, guests: bare ? [bare] : []}, {gate: openGate()})
    expect(early.results.map(({outcome}) => outcome)).to.deep.equal(['stale'])
    const {results} = await it.carryOut({...plan, guests: lifted}, {gate: openGate(), run: 's'})
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'shutdown succeeded',
      'destroy succeeded',
    ])
    expect(it.sandbox.cluster.guest(101)).to.equal(undefined)
    expect([...it.journal.operations.values()].at(-1)?.intent).to.include({
      key: 'key-1',
      class: 'destructive',
    })
  })

  it('destroys nothing that has other volumes than the plan says', async () => {
    const it = bench()
    const plan = await it.plan(desiredGuest(150, {}, {ensure: 'absent'}))
    const lifted = plan.guests.map((one) => ({
      ...one,
      liveDigest: undefined,
      actions: one.actions.map((action) => ({...action, blockers: []})),
    }))
    await it.sandbox.put('/nodes/pve2/lxc/150/config', {mp0: 'nas:1,mp=/data'})
    const {results} = await it.carryOut({...plan, guests: lifted}, {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale'])
    expect(it.sandbox.cluster.guest(150)).not.to.equal(undefined)
  })

  it('carries out nothing destructive while tasks are unknown to the journal', async () => {
    const it = bench()
    const plan = await it.plan(desiredGuest(150, {}, {ensure: 'absent'}))
    const lifted = plan.guests.map((one) => ({
      ...one,
      actions: one.actions.map((action) => ({...action, blockers: []})),
    }))
    await it.journal.disarm(['UPID:x'])
    const {results} = await it.carryOut({...plan, guests: lifted}, {gate: openGate()})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['refused'])
    expect(it.sent()).to.deep.equal([])
  })

  it('never runs twice what has a key', async () => {
    const it = bench()
    const gate: Gate = {
      authorize: (request) =>
        Promise.resolve({
          allowed: true,
          authorized: {...request, class: 'benign', key: 'once'} as unknown as AuthorizedAction,
        }),
      preview: () => Promise.resolve(undefined),
    }
    const {results} = await it.apply([desiredGuest(101, {}, stopped), desiredGuest(102, {}, stopped)], {gate})
    expect(results.map(({outcome}) => outcome).sort()).to.deep.equal(['refused', 'succeeded'])
    expect(it.sent()).to.have.length(1)
  })

  it('keeps to the number of changes on a node until their tasks have ended', async () => {
    const it = bench()
    const vmids = [101, 110, 200]
    let present = 0
    let most = 0
    const emit = it.runOptions().emit
    await it.apply(
      vmids.map((vmid) => desiredGuest(vmid, {}, {run: 'stopped', kind: vmid === 200 ? 'qemu' : 'lxc'})),
      {
        perNode: 2,
        emit: (event) => {
          emit(event)
          if (event.type === 'action_started') most = Math.max(most, ++present)
          if (event.type === 'action_ended') present--
        },
      },
    )
    expect(most).to.equal(2)
    expect(it.outcomes()).to.have.length(3)
  })

  it('waits for the HA manager until the guest follows', async () => {
    const it = bench()
    const {results} = await it.apply([desiredGuest(110, {}, stopped)])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(it.sandbox.cluster.guest(110)?.runtime.status).to.equal('stopped')
    expect(results[0]?.upid).to.contain(':hastop:110:')
  })

  it('leaves an HA guest in flight that does not follow in time', async () => {
    const it = bench()
    const guest = it.sandbox.cluster.guest(110)
    if (guest) guest.knobs.hang = true
    const wanted = desiredGuest(110, {}, {run: 'stopped', stop: {timeoutMs: 1_000, force: false}})
    const {results} = await it.apply([wanted], {taskTimeoutMs: 5_000})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight'])
    expect(it.states()).to.deep.equal(['shutdown task_running'])
  })
})

describe('a journal that fails', () => {
  const failing = (call: string, on: EngineBench): void => {
    // Only the engine itself keeps further requests back.
    on.journal.isForgetful = true
    let isOver = false
    on.journal.failure = (now) => {
      if (isOver || now !== call) return undefined
      isOver = true
      return new Error('EIO')
    }
  }

  const applyFailing = async (it: EngineBench, perNode = 1): Promise<string> =>
    it
      .apply([desiredGuest(101, {memory: '1024'}), desiredGuest(110, {memory: '2048'}, stopped)], {perNode})
      .then(
        () => 'no error',
        (error: unknown) => String(error),
      )

  it('keeps every request from being sent when no start can be recorded', async () => {
    const it = bench()
    failing('start', it)
    expect(await applyFailing(it)).to.contain('EIO')
    expect(it.sent()).to.deep.equal([])
    expect(it.outcomes().every((line) => line.endsWith('not_started'))).to.equal(true)
  })

  it('sends nothing after an end that could not be recorded', async () => {
    const it = bench()
    failing('settle', it)
    expect(await applyFailing(it)).to.contain('EIO')
    expect(it.sent()).to.have.length(1)
    expect(it.journal.openOperations()).to.have.length(1)
    expect(it.outcomes()).to.include('set-config in_flight')
  })

  it('sends nothing after a task that could not be recorded', async () => {
    const it = bench()
    failing('taskRunning', it)
    const error = await it
      .apply([desiredGuest(101, {}, stopped), desiredGuest(110, {memory: '2048'})], {perNode: 1})
      .then(
        () => 'no error',
        (reason: unknown) => String(reason),
      )
    expect(error).to.contain('EIO')
    expect(it.sent()).to.deep.equal(['POST /nodes/pve1/lxc/101/status/shutdown'])
    expect(it.states()).to.deep.equal(['shutdown started'])
  })

  it('keeps back a request whose record was written while another failed', async () => {
    const it = bench()
    let release: (() => void) | undefined
    const slow = new Promise<void>((resolve) => {
      release = resolve
    })
    const {journal} = it
    const held: Journal = new Proxy(journal, {
      get: (target, name) => {
        if (name !== 'start') {
          const value: unknown = Reflect.get(target, name, target)
          return typeof value === 'function' ? (value as () => unknown).bind(target) : value
        }
        return async (intent: Parameters<Journal['start']>[0]) => {
          const journaled = await journal.start(intent)
          if (intent.target.vmid === 101) await slow
          else {
            release?.()
            throw new Error('EIO')
          }
          return journaled
        }
      },
    })
    const error = await it
      .apply([desiredGuest(101, {memory: '1024'}), desiredGuest(102, {memory: '1024'})], {journal: held})
      .then(
        () => 'no error',
        (reason: unknown) => String(reason),
      )
    expect(error).to.contain('EIO')
    expect(it.sent()).to.deep.equal([])
    expect(it.outcomes()).to.include('set-config in_flight')
  })
})

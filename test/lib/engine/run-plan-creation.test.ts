import {expect} from 'chai'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {OperationBody} from '../../../src/lib/model/operation.ts'
import {addGuest, removeGuest} from '../../../src/lib/sandbox/guest/registry.ts'
import {desiredGuest, type Written} from '../../support/desired-guest.ts'
import {EngineBench, once} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})
const place = {file: 'guests.yaml', line: 1, column: 1}
const TEMPLATE = 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'

const newGuest = (
  from: NonNullable<DesiredGuest['create']>['from'],
  options: Record<string, Written>,
  change: Partial<DesiredGuest> = {},
  more: Partial<NonNullable<DesiredGuest['create']>> = {},
): DesiredGuest =>
  desiredGuest(301, options, {
    nodes: ['pve1'],
    run: 'running',
    create: {from, storage: 'local-lvm', place, ...more},
    ...change,
  })

const container = (change: Partial<DesiredGuest> = {}): DesiredGuest =>
  newGuest(
    {template: TEMPLATE},
    {
      hostname: 'new',
      memory: '512',
      net0: 'name=eth0,bridge=vmbr0',
      net1: 'name=eth1,bridge=vmbr1,hwaddr=BC:24:11:00:00:01',
    },
    change,
  )

const creationOf = (it: EngineBench): Extract<OperationBody, {type: 'create'}> => {
  const body = [...it.journal.operations.values()][0]?.intent.body
  if (body?.type !== 'create') throw new Error('no creation')
  return body
}

describe('a new guest', () => {
  it('is made, planned again as one that exists, and started', async () => {
    const it = bench()
    const {results} = await it.apply([container()])
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'create succeeded',
      'start succeeded',
    ])
    expect((await it.plan(container())).guests).to.deep.equal([])
  })

  it('bears network addresses that were journaled before it was asked for', async () => {
    const it = bench()
    await it.apply([container()])
    const {marker, options} = creationOf(it)
    expect(marker).to.have.length(1)
    expect(marker[0]).to.match(/^BC:24:11(:[0-9A-F]{2}){3}$/)
    expect(options['net0']).to.contain(`hwaddr=${marker[0] ?? ''}`)
    expect(it.sandbox.cluster.guest(301)?.config['net0']).to.contain(`hwaddr=${marker[0] ?? ''}`)
    expect(options['net1']).to.contain('hwaddr=BC:24:11:00:00:01')
  })

  it('is known to the journal by its identity from then on', async () => {
    const it = bench()
    let identity: unknown
    const {journal} = it
    const settle = journal.settle.bind(journal)
    journal.settle = (op, ending) => {
      identity ??= ending.identity
      return settle(op, ending)
    }
    await it.apply([container()])
    expect(identity).to.deep.include({kind: 'lxc', vmid: 301})
    expect(identity)
      .to.have.property('ids')
      .that.includes(`hwaddr:${creationOf(it).marker[0] ?? ''}`)
  })

  it('takes its secrets with the request, and the journal names them only', async () => {
    const it = bench()
    const asked: string[][] = []
    const password = {env: 'PASSWORD'} as const
    const guest = newGuest({template: TEMPLATE}, {hostname: 'new'}, {run: 'stopped'}, {password})
    const {results} = await it.apply([guest], {
      secretsFor: (_, names) => {
        asked.push([...names])
        return Promise.resolve({password: 'hunter2-canary'})
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(asked).to.deep.equal([['password']])
    expect(it.connection.requests.some(({params}) => params.includes('hunter2-canary'))).to.equal(true)
    expect(JSON.stringify([...it.journal.operations.values()])).not.to.contain('hunter2')
    expect(JSON.stringify(it.events)).not.to.contain('hunter2')
  })

  it('is not asked for without its secrets', async () => {
    const it = bench()
    const guest = newGuest({template: TEMPLATE}, {}, {}, {password: {env: 'PASSWORD'}})
    const {results} = await it.apply([guest])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['failed', 'skipped'])
    expect(it.sent()).to.deep.equal([])
  })

  it('is not made if the number was taken since the plan', async () => {
    const it = bench()
    const {results} = await it.apply([container()], {}, async () => {
      await it.sandbox.outcome(
        it.sandbox.post('/nodes/pve2/lxc', {vmid: 301, ostemplate: TEMPLATE, rootfs: 'local-lvm:4'}),
      )
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale', 'skipped'])
    expect(it.sent()).to.deep.equal([])
  })

  it('is awaited if the answer is lost and its task is there', async () => {
    const it = bench()
    it.fault = once('POST', /\/lxc$/, {kind: 'reset', when: 'after'})
    const {results} = await it.apply([container()])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'succeeded'])
    expect(it.sent()).to.have.length(2)
  })

  it('is never asked for again if nothing is known of the request', async () => {
    const it = bench()
    it.fault = once('POST', /\/lxc$/, {kind: 'reset', when: 'before'})
    const {results} = await it.apply([container()])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight', 'skipped'])
    expect(it.sent()).to.have.length(1)
  })

  it('that failed and left nothing has failed; that left something waits for recover', async () => {
    for (const leavesDebris of [false, true]) {
      const it = bench()
      const {emit} = it.runOptions()
      const {results} = await it.apply([container()], {
        emit: (event) => {
          emit(event)
          if (event.type !== 'task_started') return
          const {cluster} = it.sandbox
          void cluster.tasks.stop(event.upid)
          void cluster.clock.sleep(50).then(() => {
            removeGuest(cluster, 301)
            if (leavesDebris) addGuest(cluster, 'lxc', 301, 'pve1', {lock: 'create'})
          })
        },
      })
      expect(results[0]?.outcome).to.equal(leavesDebris ? 'in_flight' : 'failed')
      expect(results[1]?.outcome).to.equal('skipped')
      expect(it.sent()).to.have.length(1)
    }
  })

  it('is not called absent because it is not where it should be', async () => {
    const it = bench()
    const {emit} = it.runOptions()
    const {results} = await it.apply([container()], {
      emit: (event) => {
        emit(event)
        if (event.type !== 'task_started') return
        const {cluster} = it.sandbox
        void cluster.tasks.stop(event.upid)
        void cluster.clock.sleep(50).then(() => {
          removeGuest(cluster, 301)
          addGuest(cluster, 'lxc', 301, 'pve2', {})
        })
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight', 'skipped'])
  })

  it('of which a creation was killed waits for recover, whatever is there', async () => {
    const it = bench()
    const {emit} = it.runOptions()
    const {results} = await it.apply([container()], {
      emit: (event) => {
        emit(event)
        if (event.type !== 'task_started') return
        const {cluster} = it.sandbox
        cluster.tasks.kill(event.upid)
        removeGuest(cluster, 301)
        addGuest(cluster, 'lxc', 301, 'pve1', {net0: creationOf(it).options['net0'] ?? ''})
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight', 'skipped'])
  })
})

describe('a copy', () => {
  it('is made where its source is, then gets its options, its size and its run state', async () => {
    const it = bench()
    const guest = newGuest(
      {clone: 190, full: true},
      {memory: '1024', rootfs: {size: '12G'}, hostname: 'copy'},
    )
    const {results} = await it.apply([guest])
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'create succeeded',
      'set-config succeeded',
      'resize succeeded',
      'start succeeded',
    ])
    expect(creationOf(it)).to.include({sourceNode: 'pve1'})
    expect((await it.plan(guest)).guests).to.deep.equal([])
  })

  it('is planned again even where the plan may not be adapted', async () => {
    const it = bench()
    const guest = newGuest({clone: 190, full: true}, {memory: '1024'}, {run: 'stopped'})
    const {results} = await it.apply([guest], {mayAdapt: false})
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'create succeeded',
      'set-config succeeded',
    ])
  })

  it('goes on with the saved plan where it cannot be planned again', async () => {
    const it = bench()
    const guest = newGuest({clone: 190, full: true}, {memory: '1024'})
    const {results} = await it.apply([guest], {planAgain: () => undefined})
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'create succeeded',
      'start succeeded',
    ])
  })

  it('finds its source on another node', async () => {
    const it = bench()
    const guest = newGuest(
      {clone: 200, full: true},
      {},
      {kind: 'qemu', nodes: ['pve2'], run: 'stopped'},
      {storage: 'nas'},
    )
    const {results} = await it.apply([guest])
    expect(results.map(({outcome, detail}) => `${outcome} ${detail ?? ''}`)).to.deep.equal(['succeeded '])
    expect(it.sent()).to.deep.equal(['POST /nodes/pve1/qemu/200/clone'])
    expect(it.sandbox.cluster.guest(301)?.node).to.equal('pve2')
  })

  it('gets its secrets once it is made', async () => {
    const it = bench()
    const base = newGuest({clone: 290, full: true}, {}, {kind: 'qemu', nodes: ['pve2'], run: 'stopped'})
    const options = new Map(base.options)
    options.set('cipassword', {name: 'cipassword', value: {is: 'secret', from: {env: 'PASSWORD'}}, place})
    const guest = {...base, options}
    const {results} = await it.apply([guest], {
      secretsFor: (_, names) => Promise.resolve(Object.fromEntries(names.map((name) => [name, 'hunter2']))),
    })
    expect(results.map(({action, outcome}) => `${action.type} ${outcome}`)).to.deep.equal([
      'create succeeded',
      'set-config succeeded',
    ])
    expect(it.sandbox.cluster.guest(301)?.config['cipassword']).not.to.equal(undefined)
    expect(JSON.stringify([...it.journal.operations.values()])).not.to.contain('hunter2')
  })

  it('whose secrets got no clean answer stays in flight: they cannot be read back', async () => {
    const it = bench()
    const base = newGuest({clone: 290, full: true}, {}, {kind: 'qemu', nodes: ['pve2'], run: 'stopped'})
    const options = new Map(base.options)
    options.set('cipassword', {name: 'cipassword', value: {is: 'secret', from: {env: 'PASSWORD'}}, place})
    it.fault = once('PUT', /config$/, {kind: 'reset', when: 'before'})
    const {results} = await it.apply([{...base, options}], {
      secretsFor: () => Promise.resolve({cipassword: 'hunter2'}),
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'in_flight'])
  })

  it('waits for the other copies of the same guest, which the journal holds meanwhile', async () => {
    const it = bench()
    const one = newGuest({clone: 190, full: true}, {}, {run: 'stopped'})
    const machine = newGuest({clone: 290, full: true}, {}, {kind: 'qemu', nodes: ['pve2'], run: 'stopped'})
    const copies = [one, {...one, vmid: 302}, {...one, vmid: 303}]
    const machines = [304, 305].map((vmid) => ({...machine, vmid}))
    const {results} = await it.apply([...copies, ...machines])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(Array(5).fill('succeeded'))
  })

  it('whose answer is lost keeps further copies of the same guest from being begun', async () => {
    const it = bench()
    it.fault = once('POST', /clone$/, {kind: 'stall', when: 'before', ms: 100})
    const one = newGuest({clone: 290, full: true}, {}, {kind: 'qemu', nodes: ['pve2'], run: 'stopped'})
    const {results} = await it.apply([one, {...one, vmid: 302}, {...one, vmid: 303}])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['in_flight', 'frozen', 'frozen'])
    expect(results[1]?.detail).to.match(/^operation \S+ of qemu\/301 is started$/)
    const lost = results.find(({outcome}) => outcome === 'in_flight')
    expect(it.sandbox.cluster.guest(lost?.guest.vmid ?? 0)).to.equal(undefined)
    expect(lost?.upid).to.equal(undefined)
    expect(it.journal.openOperations().map(({state}) => state)).to.deep.equal(['started'])
  })
})

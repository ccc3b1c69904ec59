import {expect} from 'chai'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {RunOptions} from '../../../src/lib/engine/run-options.ts'
import {removeGuest} from '../../../src/lib/sandbox/guest/registry.ts'
import {desiredGuest} from '../../support/desired-guest.ts'
import {EngineBench} from '../../support/engine-bench.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'

const bench = (): EngineBench => new EngineBench({seed: homelabSeed})
const wanted: DesiredGuest = desiredGuest(101, {memory: '1024', cores: '2'})

const change = (it: EngineBench, form: Record<string, string>) => (): Promise<unknown> =>
  it.sandbox.put('/nodes/pve1/lxc/101/config', form)

const sentForm = (it: EngineBench): Record<string, string> => {
  const write = it.connection.requests.findLast(({method}) => method === 'PUT')
  const form = new URLSearchParams(write?.params)
  form.delete('digest')
  return Object.fromEntries(form)
}

describe('a guest that others changed after the plan', () => {
  it('is planned again, and the same is carried out with the new digest', async () => {
    for (const mayAdapt of [true, false]) {
      const it = bench()
      const {results} = await it.apply([wanted], {mayAdapt}, change(it, {description: 'by others'}))
      expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
      expect(sentForm(it)).to.deep.equal({memory: '1024', cores: '2'})
      expect(it.sent()).to.have.length(1)
    }
  })

  it('gets what is left to do, where the plan may be adapted', async () => {
    const it = bench()
    const {results} = await it.apply([wanted], {mayAdapt: true}, change(it, {memory: '1024'}))
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(sentForm(it)).to.deep.equal({cores: '2'})
  })

  it('is left alone, where the plan may not be adapted', async () => {
    const it = bench()
    const guest = {...wanted, run: 'stopped' as const}
    const {results} = await it.apply([guest], {mayAdapt: false}, change(it, {memory: '1024'}))
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale', 'stale'])
    expect(it.sent()).to.deep.equal([])
    expect(it.states()).to.deep.equal([])
  })

  it('is left alone if it cannot be planned again', async () => {
    const it = bench()
    const {results} = await it.apply(
      [wanted],
      {planAgain: () => undefined},
      change(it, {description: 'by others'}),
    )
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale'])
    expect(it.sent()).to.deep.equal([])
  })

  it('needs nothing if others did it all', async () => {
    for (const mayAdapt of [true, false]) {
      const it = bench()
      const {results} = await it.apply([wanted], {mayAdapt}, change(it, {memory: '1024', cores: '2'}))
      expect(results.map(({outcome}) => outcome)).to.deep.equal(['satisfied'])
      expect(it.sent()).to.deep.equal([])
    }
  })

  it('needs no power request if others made it, though the config is the same', async () => {
    const it = bench()
    const {results} = await it.apply([desiredGuest(101, {}, {run: 'stopped'})], {}, () =>
      it.sandbox.outcome(it.sandbox.post('/nodes/pve1/lxc/101/status/stop', {})),
    )
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['satisfied'])
    expect(it.sent()).to.deep.equal([])
  })

  it('is not touched while it is locked', async () => {
    const it = bench()
    const lock = (): Promise<unknown> => {
      const guest = it.sandbox.cluster.guest(101)
      if (guest) guest.config['lock'] = 'backup'
      return Promise.resolve()
    }
    const {results} = await it.apply([{...wanted, run: 'stopped'}], {}, lock)
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['blocked', 'blocked'])
    expect(it.sent()).to.deep.equal([])
  })

  it('is stale if it is gone', async () => {
    const it = bench()
    const {results} = await it.apply([{...wanted, run: 'stopped'}], {}, () => {
      removeGuest(it.sandbox.cluster, 101)
      return Promise.resolve()
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale', 'skipped'])
    expect(it.sent()).to.deep.equal([])
  })

  it('fails without a request if it cannot be read', async () => {
    const it = bench()
    const plan = await it.plan(wanted, desiredGuest(102, {memory: '1024'}))
    it.fault = ({path}) =>
      path.includes('/101/') ? {kind: 'status', when: 'before', status: 595} : undefined
    const {results} = await it.carryOut(plan)
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['failed', 'succeeded'])
    expect(results[0]?.detail).to.contain('nothing was sent')
    expect(it.states()).to.deep.equal(['set-config succeeded'])
  })

  it('is not taken for another that has got its number in the meantime', async () => {
    const it = bench()
    const emit = it.runOptions().emit
    const {results} = await it.apply([{...wanted, run: 'stopped'}], {
      emit: (event) => {
        emit(event)
        const guest = it.sandbox.cluster.guest(101)
        if (event.type !== 'action_ended' || !guest) return
        guest.config['rootfs'] = 'local-lvm:vm-101-disk-9,size=8G'
        guest.config['net0'] = 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:99:99:99,type=veth'
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'stale'])
    expect(results[1]?.detail).to.contain('another guest')
  })
})

describe('a guest that others change between our reading and our write', () => {
  /** The given changes come one by one, each just before one of our writes. */
  const racing = (it: EngineBench, ...forms: Record<string, string>[]): void => {
    it.fault = ({method, path}) => {
      if (method !== 'PUT' || !path.endsWith('/101/config')) return undefined
      const form = forms.shift()
      const guest = it.sandbox.cluster.guest(101)
      if (form && guest) Object.assign(guest.config, form)
      return undefined
    }
  }

  it('is planned again once', async () => {
    const it = bench()
    racing(it, {swap: '1'})
    const {results} = await it.apply([wanted])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded'])
    expect(it.states()).to.deep.equal(['set-config superseded', 'set-config succeeded'])
    expect(it.sandbox.cluster.guest(101)?.config).to.include({memory: '1024', swap: '1'})
  })

  it('is left alone the second time', async () => {
    const it = bench()
    racing(it, {swap: '1'}, {swap: '2'})
    const {results} = await it.apply([wanted])
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale'])
    expect(it.states()).to.deep.equal(['set-config superseded', 'set-config superseded'])
    expect(it.sandbox.cluster.guest(101)?.config['memory']).to.equal('512')
    expect(it.journal.openOperations()).to.deep.equal([])
  })

  it('is left alone at once if the change is another now and the plan may not be adapted', async () => {
    const it = bench()
    racing(it, {memory: '1024'})
    const {results} = await it.apply([wanted], {mayAdapt: false})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['stale'])
    expect(it.sent()).to.have.length(1)
  })

  it('never overwrites a value that was set since', async () => {
    const it = bench()
    racing(it, {memory: '777'})
    await it.apply([wanted], {mayAdapt: false, planAgain: () => undefined})
    expect(it.sandbox.cluster.guest(101)?.config['memory']).to.equal('777')
  })
})

describe('the later actions of a guest', () => {
  it('are judged by their values, since our own write changed the digest', async () => {
    const it = bench()
    const guest = desiredGuest(150, {memory: '2048', rootfs: {size: '10G'}}, {run: 'running'})
    const {emit} = it.runOptions()
    const {results} = await it.apply([guest], {
      emit: (event) => {
        emit(event)
        const live = it.sandbox.cluster.guest(150)
        if (event.type === 'action_ended' && live) live.config['description'] = 'by others'
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
  })

  /** Grows the disk a little while the first action ends. */
  const growing = (it: EngineBench): RunOptions['emit'] => {
    const {emit} = it.runOptions()
    return (event) => {
      emit(event)
      const live = it.sandbox.cluster.guest(150)
      if (event.type !== 'action_ended' || event.result.action.type !== 'set-config' || !live) return
      live.config['rootfs'] = 'nas:150/vm-150-disk-0.raw,size=9G'
    }
  }
  const grown = desiredGuest(150, {memory: '2048', rootfs: {size: '10G'}}, {run: 'running'})

  it('are not begun while the guest is locked', async () => {
    const it = bench()
    const {emit} = it.runOptions()
    const {results} = await it.apply([grown], {
      emit: (event) => {
        emit(event)
        const live = it.sandbox.cluster.guest(150)
        if (event.type === 'action_ended' && live) live.config['lock'] = 'backup'
      },
    })
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'blocked', 'blocked'])
    expect(it.sent()).to.have.length(1)
  })

  it('are planned again if what they would change is neither as it was nor as wanted', async () => {
    const it = bench()
    const {results} = await it.apply([grown], {emit: growing(it), mayAdapt: false})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
    const resize = [...it.journal.operations.values()][1]?.intent
    expect(resize?.before.sizeBytes).to.equal(9 * 1024 ** 3)
  })

  it('are stale if they cannot be planned again then', async () => {
    const it = bench()
    const {results} = await it.apply([grown], {emit: growing(it), planAgain: () => undefined})
    expect(results.map(({outcome}) => outcome)).to.deep.equal(['succeeded', 'stale', 'stale'])
    expect(it.sent()).to.have.length(1)
  })
})

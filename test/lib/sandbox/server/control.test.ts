import {expect} from 'chai'
import {LoopbackSandbox, impatientClock} from '../../../support/loopback-sandbox.ts'

describe('controls of the sandbox', () => {
  let box: LoopbackSandbox
  before(async () => {
    box = await LoopbackSandbox.start({clock: impatientClock})
  })
  beforeEach(() => box.reset())
  after(() => box.close())

  const apply = async (control: unknown): Promise<void> => {
    const answer = await box.control(control)
    expect(answer.status, answer.text).to.equal(200)
  }

  for (const knob of ['hang', 'failStart', 'warnStart'] as const) {
    it(`switch ${knob} on and off`, async () => {
      await apply({[knob]: 101, on: true})
      expect(box.sandbox.cluster.guest(101)?.knobs[knob]).to.equal(true)
      await apply({[knob]: 101, on: false})
      expect(box.sandbox.cluster.guest(101)?.knobs[knob]).to.equal(false)
    })
  }

  it('set a lock and take it off', async () => {
    await apply({lock: 'backup', kind: 'lxc', vmid: 101})
    const locked = await box.api('PUT', '/nodes/pve/lxc/101/config', 'cores=1')
    expect(locked.reason).to.equal('CT is locked (backup)')
    await apply({lock: null, kind: 'lxc', vmid: 101})
    expect((await box.api('PUT', '/nodes/pve/lxc/101/config', 'cores=1')).status).to.equal(200)
  })

  it('hold the lock of a config file', async () => {
    await apply({configLockHeldSeconds: 60, vmid: 102})
    const until = box.sandbox.cluster.guest(102)?.knobs.configLockHeldUntilMs ?? 0
    expect(until - Date.now()).to.be.within(50_000, 60_000)
  })

  it('set how long starting and stopping takes', async () => {
    await apply({startDelaySeconds: 2.5})
    await apply({stopDelaySeconds: 0})
    expect(box.sandbox.cluster.state.knobs).to.include({startDelaySeconds: 2.5, stopDelaySeconds: 0})
  })

  it('take a node away and bring it back', async () => {
    const {cluster} = box.sandbox
    const [local] = cluster.state.nodes
    if (!local) throw new Error('no node')
    cluster.state.nodes.push({...local, name: 'pve2'})
    await apply({node: 'pve2', online: false})
    const gone = await box.api('GET', '/nodes/pve2/lxc')
    expect([gone.status, gone.reason, gone.text]).to.deep.equal([595, 'No route to host', ''])
    await apply({node: 'pve2', online: true})
    expect((await box.api('GET', '/nodes/pve2/lxc')).json).to.deep.equal({data: []})
  })

  it('take quorum away: reading goes on, writing fails', async () => {
    await apply({quorate: false})
    const put = await box.api('PUT', '/nodes/pve/lxc/102/config', 'cores=1')
    expect(put.status).to.equal(500)
    expect(put.reason).to.match(
      /^unable to open file '\/etc\/pve\/nodes\/pve\/lxc\/102\.conf\.tmp\.\d+' - Permission denied$/,
    )
    expect((await box.api('GET', '/nodes/pve/lxc/102/config')).status).to.equal(200)
    expect((await box.api('POST', '/nodes/pve/lxc/101/status/stop', '')).status).to.equal(200)
    await apply({quorate: true})
    expect((await box.api('PUT', '/nodes/pve/lxc/102/config', 'cores=1')).status).to.equal(200)
  })

  it('lose a task', async () => {
    const {data} = (await box.api('POST', '/nodes/pve/lxc/102/status/start', '')).json as {data: string}
    await apply({loseTask: data})
    const status = await box.api('GET', `/nodes/pve/tasks/${encodeURIComponent(data)}/status`)
    expect(status.status).to.equal(400)
    expect(status.text).to.contain('no such task')
  })

  it('go back to the seed with a reset', async () => {
    await box.api('PUT', '/nodes/pve/lxc/102/config', 'cores=1')
    await apply({quorate: false})
    await box.reset()
    expect(box.sandbox.cluster.guest(102)?.config).not.to.have.property('cores')
    expect(box.sandbox.cluster.state.quorate).to.equal(true)
  })

  const wrong: [unknown, RegExp][] = [
    [[], /a control must be a JSON object/],
    [{}, /one control at a time, of hang, failStart/],
    [{explode: 101}, /one control at a time/],
    [{quorate: true, loseTask: 'UPID:x'}, /one control at a time/],
    [{hang: 101}, /"on" must be true or false/],
    [{hang: 101, on: 1}, /"on" must be true or false/],
    [{hang: 999, on: true}, /there is no guest 999/],
    [{hang: '101', on: true}, /"hang" must be a number from 100/],
    [{hang: 101, on: true, off: false}, /"hang" has no field "off"; it takes hang, on/],
    [{lock: 'backup', kind: 'qemu', vmid: 101}, /guest 101 is of kind lxc/],
    [{lock: 'backup', vmid: 101}, /"kind" must be one of lxc, qemu/],
    [{lock: 1, kind: 'lxc', vmid: 101}, /"lock" must be a text/],
    [{configLockHeldSeconds: -1, vmid: 102}, /"configLockHeldSeconds" must be a number from 0/],
    [{startDelaySeconds: '1'}, /"startDelaySeconds" must be a number from 0/],
    [{node: 'pve', online: false}, /pve is the node that answers/],
    [{node: 'ghost', online: false}, /there is no node ghost/],
    [{quorate: 'no'}, /"quorate" must be true or false/],
    [{loseTask: 'UPID:pve:0'}, /there is no task/],
    [{faults: 'all'}, /"faults" must be one of clear/],
  ]
  for (const [control, message] of wrong) {
    it(`refuse ${JSON.stringify(control)}`, async () => {
      const answer = await box.control(control)
      expect(answer.status).to.equal(400)
      expect((answer.json as {error: string}).error).to.match(message)
    })
  }

  it('refuse what is no JSON, and paths that are not there', async () => {
    expect((await box.send('POST', '/sandbox/control', '{')).status).to.equal(400)
    expect((await box.send('GET', '/sandbox/nope')).status).to.equal(404)
  })

  it('count requests by method and route, and connections', async () => {
    await box.api('GET', '/version')
    await box.api('GET', '/nodes/pve/lxc/101/config')
    await box.api('GET', '/nodes/pve/lxc/102/config')
    await box.api('GET', '/nope')
    const {json} = await box.send('GET', '/sandbox/stats')
    expect(json).to.deep.equal({
      total: 4,
      requests: {'GET (none)': 1, 'GET /nodes/{node}/lxc/{vmid}/config': 2, 'GET /version': 1},
      connections: 5,
    })
    await box.reset()
    expect((await box.send('GET', '/sandbox/stats')).json).to.deep.equal({
      total: 0,
      requests: {},
      connections: 1,
    })
  })
})

import {expect} from 'chai'
import type {ActualCluster, ActualGuest} from '../../../src/lib/model/actual.ts'
import {guestPath, joinPath} from '../../../src/lib/pve/paths.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {rejection} from '../../support/reject.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'
import {waitFor} from '../../support/wait-for.ts'
import {threeNodes} from '../../support/three-nodes.ts'

const vmids = (cluster: ActualCluster): number[] => cluster.guests.map((guest) => guest.vmid)

function guestOf(cluster: ActualCluster, vmid: number): ActualGuest {
  const guest = cluster.guests.find((candidate) => candidate.vmid === vmid)
  if (!guest) throw new Error(`guest ${vmid} is not in the list`)
  return guest
}

describe('reading a standalone node', () => {
  let sandbox: TestSandbox
  const read = (token?: string): Promise<ActualCluster> => createReader(sandbox.connect(token)).readCluster()

  before(async () => {
    sandbox = await TestSandbox.start()
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  it('finds every guest in the order of their numbers, and is complete', async () => {
    const cluster = await read()
    expect(vmids(cluster)).to.deep.equal([100, 101, 102, 103, 200, 201])
    expect(cluster).to.deep.include({
      name: undefined,
      quorum: 'standalone',
      nodes: [{name: 'pve', online: true, listed: true}],
      completeness: {complete: true},
      notes: [],
    })
  })

  it('gives a container and a machine as Proxmox has them', async () => {
    const cluster = await read()
    const media = guestOf(cluster, 101)
    expect(media).to.deep.include({
      kind: 'lxc',
      node: 'pve',
      name: 'media',
      run: 'running',
      template: false,
      lock: undefined,
      tags: ['homelab', 'media'],
      ha: {managed: false},
    })
    if (!media.config.known) throw new Error(media.config.reason)
    expect(media.config.current).to.include({
      memory: '512',
      onboot: '1',
      hostname: 'media',
      tags: 'homelab;media',
    })
    expect(media.config.current).not.to.have.property('digest')
    expect(media.config.digest).to.match(/^[0-9a-f]{40}$/)
    expect(guestOf(cluster, 200)).to.include({kind: 'qemu', name: 'vm-web', run: 'running'})
    expect(guestOf(cluster, 201)).to.include({run: 'stopped'})
  })

  it('is as complete with a token that may only look', async () => {
    const cluster = await read('ro')
    expect(vmids(cluster)).to.have.length(6)
    expect(cluster.completeness).to.deep.equal({complete: true})
  })

  for (const [token, seen] of Object.entries({ops: [101], nobody: [], privsep: []})) {
    it(`notices that the list for the token "${token}" is filtered`, async () => {
      const cluster = await read(token)
      expect(vmids(cluster)).to.deep.equal(seen)
      if (cluster.completeness.complete) throw new Error('the list was taken for complete')
      expect(cluster.completeness.reasons.map((reason) => reason.code)).to.deep.equal(['list_filtered'])
      expect(cluster.completeness.reasons[0]?.message).to.contain('VM.Audit')
    })
  }

  it('says that quorum and HA are unknown where the token may not read them', async () => {
    const cluster = await read('ops')
    expect(cluster.quorum).to.equal('unknown')
    expect(guestOf(cluster, 101).ha).to.deep.equal({managed: 'unknown'})
    expect(cluster.notes.join()).to.match(/quorum unknown: .*Sys\.Audit.*HA membership unknown: .*Sys\.Audit/)
  })

  it('takes privileges that cannot be read for a list that may be filtered', async () => {
    await sandbox.control({fault: {path: '/access/permissions', kind: 'status', status: 500}})
    const {completeness} = await read()
    expect(completeness).to.have.nested.property('reasons[0].code', 'privileges_unknown')
  })

  it('keeps a guest whose config cannot be read, with its run state and the reason', async () => {
    await sandbox.control({fault: {path: '/nodes/pve/lxc/101/pending', kind: 'status', status: 500}})
    await sandbox.control({fault: {path: '/nodes/pve/qemu/200/pending', kind: 'status', status: 403}})
    const cluster = await read()
    for (const vmid of [101, 200]) {
      const guest = guestOf(cluster, vmid)
      expect(guest).to.deep.include({run: 'running'})
      expect(guest.config).to.deep.include({known: false})
      expect(guest.config).to.have.property('reason').that.contains(`${vmid}/pending`)
    }
    expect(guestOf(cluster, 102).config.known).to.equal(true)
  })

  it('counts a list that cannot be read as unknown, never as empty', async () => {
    await sandbox.control({fault: {path: '/nodes/pve/lxc', kind: 'status', status: 500}})
    const cluster = await read()
    expect(vmids(cluster)).to.deep.equal([200, 201])
    expect(cluster.nodes).to.deep.equal([{name: 'pve', online: true, listed: false}])
    expect(cluster.completeness).to.have.nested.property('reasons[0].code', 'list_failed')
    expect(cluster.completeness).to.have.nested.property('reasons[0].node', 'pve')
  })

  it('stops asking a node that goes away while it is being read', async () => {
    await sandbox.control({fault: {path: '/nodes/pve/*/pending', kind: 'status', status: 595, times: 100}})
    const connection = sandbox.connect('full', {limits: {reads: 1, tries: 1}})
    const cluster = await createReader(connection).readCluster()
    expect(cluster.guests.map((guest) => guest.config.known)).to.deep.equal(Array(6).fill(false))
    // Four of the cluster, two lists, the config that failed, and the one that had its turn by then.
    expect((await sandbox.stats()).total).to.be.at.most(8)
  })

  it('stops altogether when the way to Proxmox is lost', async () => {
    await sandbox.control({fault: {path: '/nodes/pve/*/pending', kind: 'reset', times: 100}})
    const connection = sandbox.connect('full', {limits: {reads: 1, tries: 2}})
    expect((await rejection(createReader(connection).readCluster())).code).to.equal('connection_lost')
    await connection.get(joinPath('version'))
    // As above, with two tries, and the last request, which went through.
    expect((await sandbox.stats()).total).to.be.at.most(10)
  })

  it('knows a machine that was paused from one that runs', async () => {
    const path = guestPath({kind: 'qemu', node: 'pve', vmid: 200}, 'status', 'suspend')
    await sandbox.connect().mutate({method: 'POST', path, node: 'pve', synchronous: false})
    await waitFor(async () => guestOf(await read(), 200).run === 'paused')
  })
})

describe('reading a cluster', () => {
  let sandbox: TestSandbox
  const read = (token?: string): Promise<ActualCluster> => createReader(sandbox.connect(token)).readCluster()

  before(async () => {
    sandbox = await TestSandbox.start(threeNodes())
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  it('finds the guests of every node, and the quorum', async () => {
    const cluster = await read()
    expect(cluster).to.include({name: 'lab', quorum: 'quorate'})
    expect(cluster.nodes.map((node) => node.name)).to.deep.equal(['pve1', 'pve2', 'pve3'])
    expect(cluster.guests.map(({vmid, node}) => `${vmid}@${node}`)).to.deep.equal([
      '101@pve1',
      '102@pve2',
      '103@pve2',
      '104@pve3',
      '201@pve1',
      '202@pve3',
    ])
  })

  it('represents a template, a lock, waiting changes and HA as what they are', async () => {
    const cluster = await read()
    expect(guestOf(cluster, 104).template).to.equal(true)
    expect(guestOf(cluster, 103).lock).to.equal('backup')
    expect(guestOf(cluster, 202).ha).to.deep.equal({managed: true, state: 'started'})
    const {config} = guestOf(cluster, 102)
    if (!config.known) throw new Error(config.reason)
    expect(config.current).to.include({hostname: 'waits', tty: '1'}).and.not.to.have.property('nameserver')
    expect(config.pending).to.deep.equal([
      {option: 'nameserver', kind: 'set', value: '192.0.2.53'},
      {option: 'tty', kind: 'delete', force: false},
    ])
  })

  it('needs no more requests than guests, two per node and four', async () => {
    await read()
    const {total, requests} = await sandbox.stats()
    expect(total).to.equal(6 + 2 * 3 + 4)
    expect(requests).to.deep.equal({
      'GET /access/permissions': 1,
      'GET /cluster/ha/resources': 1,
      'GET /cluster/status': 1,
      'GET /nodes': 1,
      'GET /nodes/{node}/lxc': 3,
      'GET /nodes/{node}/lxc/{vmid}/pending': 4,
      'GET /nodes/{node}/qemu': 3,
      'GET /nodes/{node}/qemu/{vmid}/pending': 2,
    })
  })

  it('represents a node that is offline, and its guests as unknown', async () => {
    await sandbox.control({node: 'pve2', online: false})
    const cluster = await read()
    expect(cluster.nodes).to.deep.include({name: 'pve2', online: false, listed: false})
    expect(vmids(cluster)).to.deep.equal([101, 104, 201, 202])
    if (cluster.completeness.complete) throw new Error('the list was taken for complete')
    expect(cluster.completeness.reasons).to.have.length(1)
    expect(cluster.completeness.reasons[0]).to.include({code: 'node_offline', node: 'pve2'})
  })

  it('represents a node that is said to be online and does not answer', async () => {
    await sandbox.control({fault: {path: '/nodes/pve3/*', kind: 'status', status: 595, times: 100}})
    const cluster = await read()
    expect(cluster.nodes).to.deep.include({name: 'pve3', online: true, listed: false})
    expect(cluster.completeness).to.have.nested.property('reasons[0].code', 'node_unreachable')
  })

  it('says that quorum is lost', async () => {
    await sandbox.control({quorate: false})
    expect((await read()).quorum).to.equal('lost')
  })
})

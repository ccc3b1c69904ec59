import {expect} from 'chai'
import type {Envelope, ReadConnection} from '../../../src/lib/pve/connection.ts'
import {readCluster} from '../../../src/lib/pve/read-cluster.ts'

const DIGEST = '03b9edaa3c83619d4bfad3791b3700644724b8c3'
const CONFIG = [{key: 'digest', value: DIGEST}]

/** Answers by path; what is not there is an empty list. */
function connectionTo(answers: Record<string, unknown>): ReadConnection {
  return {
    get: (path): Promise<Envelope> => {
      const answer = answers[path.replace('/api2/json', '')] ?? []
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({data: answer})
    },
  }
}

const NODES = [
  {node: 'b', status: 'online'},
  {node: 'a', status: 'online'},
]
const AUDITOR = {'/vms': {'VM.Audit': 1}}

describe('putting together what the nodes tell', () => {
  it('counts a guest that is seen on two nodes once, and says that it is moving', async () => {
    const guest = [{vmid: 101, status: 'running'}]
    const cluster = await readCluster(
      connectionTo({
        '/nodes': NODES,
        '/nodes/a/lxc': guest,
        '/nodes/b/lxc': guest,
        '/nodes/a/lxc/101/pending': CONFIG,
        '/nodes/b/lxc/101/pending': 'gone',
        '/access/permissions': AUDITOR,
      }),
    )
    expect(cluster.guests.map(({node, config}) => [node, config.known])).to.deep.equal([['a', true]])
    expect(cluster.completeness).to.have.nested.property('reasons[0].code', 'guest_moving')
  })

  it('sorts nodes by name and guests by number, over both kinds', async () => {
    const cluster = await readCluster(
      connectionTo({
        '/nodes': NODES,
        '/nodes/b/lxc': [{vmid: 1000, status: 'stopped'}],
        '/nodes/a/qemu': [
          {vmid: '999', status: 'stopped'},
          {vmid: 102, status: 'stopped'},
        ],
        '/access/permissions': AUDITOR,
      }),
    )
    expect(cluster.nodes.map((node) => node.name)).to.deep.equal(['a', 'b'])
    expect(cluster.guests.map((guest) => guest.vmid)).to.deep.equal([102, 999, 1000])
  })

  it('does not take an answer that is no list for an empty one', async () => {
    const cluster = await readCluster(
      connectionTo({
        '/nodes': NODES,
        '/nodes/a/lxc': {},
        '/nodes/b/qemu': [{vmid: 7}],
        '/access/permissions': AUDITOR,
      }),
    )
    expect(cluster.completeness).to.have.property('reasons').with.length(2)
    expect(cluster.nodes.every((node) => !node.listed)).to.equal(true)
  })

  it('asks a node of unknown state too', async () => {
    const answers = {
      '/nodes': [{node: 'a', status: 'unknown'}],
      '/nodes/a/lxc': [{vmid: 101, status: 'stopped'}],
    }
    expect((await readCluster(connectionTo(answers))).guests).to.have.length(1)
  })

  it('trusts a list only with VM.Audit on /vms that holds below it', async () => {
    const completeness = async (permissions: unknown): Promise<unknown> => {
      const answers = {'/nodes': [{node: 'a', status: 'online'}], '/access/permissions': permissions}
      return (await readCluster(connectionTo(answers))).completeness
    }
    expect(await completeness(AUDITOR)).to.deep.equal({complete: true})
    for (const permissions of [
      {},
      {'/': {'VM.Audit': 1}},
      {'/vms': {'VM.Audit': 0}},
      {'/vms': {'Sys.Audit': 1}},
      {'/vms/101': {'VM.Audit': 1}},
      {...AUDITOR, '/vms/101': {'VM.PowerMgmt': 1}},
    ]) {
      expect(await completeness(permissions)).to.have.nested.property('reasons[0].code', 'list_filtered')
    }
  })

  it('prefers the lock and the template flag of the config, which was read later', async () => {
    const config = [...CONFIG, {key: 'lock', value: 'snapshot'}, {key: 'template', value: 1}]
    const cluster = await readCluster(
      connectionTo({
        '/nodes': NODES,
        '/nodes/a/lxc': [{vmid: 101, status: 'stopped'}],
        '/nodes/a/lxc/101/pending': config,
      }),
    )
    expect(cluster.guests[0]).to.include({lock: 'snapshot', template: true})
  })
})

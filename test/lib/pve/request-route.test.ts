import {expect} from 'chai'
import {readUpid} from '../../../src/lib/model/upid.ts'
import {guestPath, joinPath, nodePath, pathWithQuery, taskPath} from '../../../src/lib/pve/paths.ts'
import {routeOf, type ObservedRequest} from '../../../src/lib/pve/request-route.ts'
import {rejection} from '../../support/reject.ts'
import {dataAnswer, httpAnswer, resetConnection} from '../../support/scripted-server.ts'
import {Bench} from '../../support/test-connection.ts'
import {UPID} from '../../support/operations.ts'

const upid = readUpid(UPID)

describe('the route of a request', () => {
  const guest = {kind: 'lxc', vmid: 101, node: 'pve1'} as const
  const routes: [string, string][] = [
    [joinPath('nodes'), '/nodes'],
    [joinPath('cluster', 'ha', 'resources'), '/cluster/ha/resources'],
    [nodePath('pve1', 'lxc'), '/nodes/{node}/lxc'],
    [nodePath('lxc', 'tasks'), '/nodes/{node}/tasks'],
    [guestPath(guest, 'config'), '/nodes/{node}/lxc/{vmid}/config'],
    [guestPath({kind: 'qemu', vmid: 900, node: 'lxc'}, 'pending'), '/nodes/{node}/qemu/{vmid}/pending'],
    [`${guestPath(guest, 'config')}?current=1`, '/nodes/{node}/lxc/{vmid}/config'],
    [guestPath({...guest, kind: 'qemu'}, 'status', 'start'), '/nodes/{node}/qemu/{vmid}/status/start'],
    [guestPath(guest, 'snapshot', 'before'), '/nodes/{node}/lxc/{vmid}/snapshot/{snapname}'],
    [
      guestPath(guest, 'snapshot', 'before', 'rollback'),
      '/nodes/{node}/lxc/{vmid}/snapshot/{snapname}/rollback',
    ],
    [
      nodePath('pve1', 'storage', 'local', 'content', 'a/b'),
      '/nodes/{node}/storage/{storage}/content/{volume}',
    ],
    [pathWithQuery(joinPath('cluster', 'nextid'), {vmid: 101}), '/cluster/nextid'],
    ...(upid ? [[taskPath(upid, 'status'), '/nodes/{node}/tasks/{upid}/status'] as [string, string]] : []),
  ]
  for (const [path, route] of routes) {
    it(`of ${path} is ${route}`, () => {
      expect(routeOf(path)).to.equal(route)
    })
  }
})

describe('whoever watches a connection', () => {
  const bench = new Bench()
  afterEach(() => bench.close())

  it('is told of each exchange, with its status or its error', async () => {
    const seen: ObservedRequest[] = []
    const server = await bench.serve((_request, socket, count) => {
      if (count === 1) resetConnection(socket)
      else if (count === 2) socket.write(dataAnswer([]))
      else if (count === 3) socket.write(httpAnswer(403, 'Forbidden', ''))
      else socket.write(dataAnswer('UPID'))
    })
    const connection = await bench.connect(server.url, {observe: (request) => void seen.push(request)})
    const path = guestPath({kind: 'lxc', vmid: 101, node: 'pve1'}, 'config')
    await connection.get(path, {current: 1})
    await rejection(connection.get(path))
    await connection.mutate({method: 'PUT', path, node: 'pve1', synchronous: true})
    const route = '/nodes/{node}/lxc/{vmid}/config'
    for (const {ms} of seen) expect(ms).to.be.greaterThan(0)
    expect(seen.map(({ms, ...rest}) => (ms > 0 ? rest : undefined))).to.deep.equal([
      {method: 'GET', route, errorCode: 'connection_lost'},
      {method: 'GET', route, status: 200},
      {method: 'GET', route, status: 403, errorCode: 'forbidden'},
      {method: 'PUT', route, status: 200},
    ])
  })
})

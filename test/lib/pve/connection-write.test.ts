import {expect} from 'chai'
import {DispatchError} from '../../../src/lib/model/dispatch-error.ts'
import type {Connection, Mutation} from '../../../src/lib/pve/connection.ts'
import {guestPath} from '../../../src/lib/pve/paths.ts'
import {expectNoCanary} from '../../support/canary.ts'
import {rejection} from '../../support/reject.ts'
import {
  dataAnswer,
  httpAnswer,
  resetConnection,
  startSilentServer,
  unusedPort,
  type Script,
} from '../../support/scripted-server.ts'
import {Bench, SkippingClock} from '../../support/test-connection.ts'

const OK = dataAnswer(null)
const START: Mutation = {
  method: 'POST',
  path: guestPath({kind: 'lxc', node: 'pve1', vmid: 101}, 'status', 'start'),
  node: 'pve1',
  synchronous: false,
}

async function dispatchFailure(connection: Connection, mutation: Mutation = START): Promise<DispatchError> {
  const error = await rejection(connection.mutate(mutation))
  if (!(error instanceof DispatchError)) throw error
  return error
}

describe('a mutation', () => {
  const bench = new Bench()
  afterEach(() => bench.close())

  it('sends its parameters as a form', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const params = {description: 'a b&c=ü\n+;', cores: 2, delete: undefined}
    await (await bench.connect(server.url)).mutate({...START, method: 'PUT', params})
    const [request] = server.requests
    expect(request?.body).to.equal('description=a+b%26c%3D%C3%BC%0A%2B%3B&cores=2')
    expect(request?.headers.get('content-type')).to.equal('application/x-www-form-urlencoded')
    expect(request?.headers.get('content-length')).to.equal(String(request?.body.length))
  })

  it('sends the parameters of a DELETE in the query, and no body', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    await (await bench.connect(server.url)).mutate({...START, method: 'DELETE', params: {purge: 1}})
    const [request] = server.requests
    expect(request?.target).to.match(/\?purge=1$/)
    expect(request?.body).to.equal('')
    expect(request?.headers.has('transfer-encoding')).to.equal(false)
  })

  it('has a fresh connection each time, whatever reads have open', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const connection = await bench.connect(server.url)
    await connection.get(START.path)
    for (let i = 0; i < 3; i++) await connection.mutate(START)
    await connection.get(START.path)
    expect(server.connections()).to.equal(4)
    expect(server.requests.map((r) => `${r.method}${r.nth}`)).to.deep.equal([
      'GET1',
      'POST1',
      'POST1',
      'POST1',
      'GET2',
    ])
  })

  const LOST: Record<string, [Script, string]> = {
    'a reset': [(_request, socket) => resetConnection(socket), 'connection_lost'],
    'an orderly close': [(_request, socket) => socket.end(), 'connection_lost'],
    'a cut body': [(_request, socket) => socket.end(OK.slice(0, -3)), 'connection_lost'],
    'a cut body without a length': [
      (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"da'),
      'bad_answer',
    ],
    'a stall': [() => undefined, 'timeout'],
    'a 596': [(_request, socket) => socket.write(httpAnswer(596, 'timed out', '')), 'gateway_timeout'],
    'a 599': [(_request, socket) => socket.write(httpAnswer(599, 'redirections', '')), 'gateway_failed'],
    'a 503': [(_request, socket) => socket.write(httpAnswer(503, 'busy', '')), 'gateway_failed'],
    'a 500': [(_request, socket) => socket.write(httpAnswer(500, 'oh', '')), 'proxmox_error'],
  }
  for (const [name, [script, code]] of Object.entries(LOST)) {
    it(`is in doubt after ${name}, and is not sent again`, async () => {
      const server = await bench.serve(script)
      const connection = await bench.connect(server.url, {limits: {writeTimeoutMs: 200}})
      const error = await dispatchFailure(connection)
      expect(error).to.include({code, executed: 'ambiguous'})
      expect(error.doubt).to.contain('may or may not')
      expect(server.requests).to.have.length(1)
      expect(server.connections()).to.equal(1)
      expectNoCanary(error)
    })
  }

  it('is in doubt after an answer cut at any byte, and is never sent again', async () => {
    const whole = dataAnswer('UPID:pve1:00000001:00000002:60000000:vzstart:101:root@pam!felhom:')
    let cut = 0
    const server = await bench.serve((_request, socket) => socket.end(whole.slice(0, cut)))
    const connection = await bench.connect(server.url)
    for (cut = 0; cut < whole.length; cut++) {
      expect(await dispatchFailure(connection)).to.have.property('executed', 'ambiguous')
    }
    expect(server.requests).to.have.length(whole.length)
  })

  const REFUSED: [number, string][] = [
    [400, 'Parameter verification failed.'],
    [401, 'Authentication failed!'],
    [403, 'Permission check failed'],
    [501, 'Method not implemented'],
    [595, 'Connection refused'],
    [500, 'got no worker upid'],
  ]
  for (const [status, reason] of REFUSED) {
    it(`was surely not executed after a ${status} "${reason}", and is not sent again`, async () => {
      const server = await bench.serve((_request, socket) => socket.write(httpAnswer(status, reason, '')))
      const error = await dispatchFailure(await bench.connect(server.url))
      expect(error.executed).to.equal('no')
      expect(error.doubt).to.contain('nothing was changed')
      expect(server.requests).to.have.length(1)
    })
  }

  it('was surely not executed where no connection could be made', async () => {
    const clock = new SkippingClock()
    const connection = await bench.connect(`https://127.0.0.1:${await unusedPort()}`, {clock})
    expect(await dispatchFailure(connection)).to.include({code: 'unreachable', executed: 'no'})
    expect(clock.pausesMs).to.deep.equal([])
  })

  it('was surely not executed where the handshake did not end in time', async () => {
    const silent = await startSilentServer()
    bench.onClose(() => silent.close())
    const connection = await bench.connect(silent.url, {limits: {writeTimeoutMs: 100}})
    expect(await dispatchFailure(connection)).to.include({code: 'timeout', executed: 'no'})
  })

  it('goes to one endpoint only', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const connection = await bench.connect([`https://127.0.0.1:${await unusedPort()}`, server.url])
    expect(await dispatchFailure(connection)).to.include({code: 'unreachable', executed: 'no'})
    expect(server.requests).to.have.length(0)
  })

  it('goes where reads have found an endpoint that answers', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const connection = await bench.connect([`https://127.0.0.1:${await unusedPort()}`, server.url])
    await connection.get(START.path)
    await connection.mutate(START)
    expect(server.requests.map((r) => r.method)).to.deep.equal(['GET', 'POST'])
  })

  it('waits for its turn: so many at once on each node', async () => {
    const underWay = new Map<string, number>()
    const most = new Map<string, number>()
    const server = await bench.serve(({target}, socket) => {
      const node = target.split('/')[4] ?? ''
      const now = (underWay.get(node) ?? 0) + 1
      underWay.set(node, now)
      most.set(node, Math.max(now, most.get(node) ?? 0))
      setTimeout(() => {
        underWay.set(node, (underWay.get(node) ?? 0) - 1)
        socket.write(OK)
      }, 50)
    })
    const connection = await bench.connect(server.url, {limits: {writesPerNode: 2}})
    const starts = ['pve1', 'pve2'].flatMap((node) =>
      Array.from({length: 5}, () =>
        connection.mutate({
          ...START,
          node,
          path: guestPath({kind: 'lxc', node, vmid: 101}, 'status', 'start'),
        }),
      ),
    )
    await Promise.all(starts)
    expect(Object.fromEntries(most)).to.deep.equal({pve1: 2, pve2: 2})
  })

  it('says that it is in doubt when it was cut off, and not when it had not left yet', async () => {
    const abort = new AbortController()
    const server = await bench.serve(() => abort.abort())
    const connection = await bench.connect(server.url, {signal: abort.signal, limits: {writesPerNode: 1}})
    const [first, second] = await Promise.all([dispatchFailure(connection), dispatchFailure(connection)])
    expect(first).to.include({code: 'interrupted', executed: 'ambiguous'})
    expect(second).to.include({code: 'interrupted', executed: 'no'})
    expect(server.requests).to.have.length(1)
  })

  it('does not repeat the secrets among its values', async () => {
    const server = await bench.serve(({body}, socket) => {
      const errors = {cipassword: `bad value '${new URLSearchParams(body).get('cipassword') ?? ''}'`}
      socket.write(httpAnswer(400, 'no', JSON.stringify({message: 'no', errors})))
    })
    const params = {cipassword: 'hunter22'}
    const error = await dispatchFailure(await bench.connect(server.url), {
      ...START,
      params,
      secrets: ['hunter22'],
    })
    expect(error.message).to.contain("bad value '***'")
    expect(JSON.stringify(error) + String(error.cause)).not.to.contain('hunter22')
  })
})

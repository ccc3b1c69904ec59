import {expect} from 'chai'
import fc from 'fast-check'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {joinPath} from '../../../src/lib/pve/paths.ts'
import {CANARY, expectNoCanary} from '../../support/canary.ts'
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

const VERSION = joinPath('version')
const OK = dataAnswer('fine')

/** Fails `times` times in the scripted way, then answers. */
const afterFailures =
  (times: number, fail: Script): Script =>
  (request, socket, count) => {
    if (count <= times) fail(request, socket, count)
    else socket.write(OK)
  }

const FAILURES: Record<string, Script> = {
  'a reset': (_request, socket) => resetConnection(socket),
  'an orderly close without an answer': (_request, socket) => socket.end(),
  'a body that is cut': (_request, socket) => socket.end(OK.slice(0, -5)),
  'a chunked body that is cut': (_request, socket) =>
    socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"data":1\r\n'),
  'a body without a length that is cut': (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"data":'),
  'a head that is cut': (_request, socket) => socket.end('HTTP/1.1 200 O'),
  'a 502': (_request, socket) => socket.write(httpAnswer(502, 'Bad Gateway', '')),
  'a 503': (_request, socket) => socket.write(httpAnswer(503, 'Service Unavailable', 'busy')),
  'a 595': (_request, socket) => socket.write(httpAnswer(595, 'No route to host', '')),
  'a 596': (_request, socket) => socket.write(httpAnswer(596, 'Connection timed out', '')),
  'a 599': (_request, socket) => socket.write(httpAnswer(599, 'Too many redirections', '')),
}

describe('a read', () => {
  const bench = new Bench()
  afterEach(() => bench.close())

  it('asks for JSON with the API token and returns what stands under data', async () => {
    const server = await bench.serve((_request, socket) => socket.write(dataAnswer({a: [1, 'ü']})))
    const connection = await bench.connect(server.url)
    expect(
      (await connection.get(joinPath('nodes', 'pve 1/x'), {vmid: 101, none: undefined})).data,
    ).to.deep.equal({
      a: [1, 'ü'],
    })
    const [request] = server.requests
    expect(request?.method).to.equal('GET')
    expect(request?.target).to.equal('/api2/json/nodes/pve%201%2Fx?vmid=101')
    expect(request?.headers.get('authorization')).to.equal(`PVEAPIToken=root@pam!felhom=${CANARY}`)
  })

  it('puts together an answer that comes byte by byte', async () => {
    const server = await bench.serve((_request, socket) => {
      for (const byte of Buffer.from(dataAnswer('árvíztűrő'))) socket.write(Buffer.of(byte))
    })
    expect((await (await bench.connect(server.url)).get(VERSION)).data).to.equal('árvíztűrő')
  })

  for (const [name, fail] of Object.entries(FAILURES)) {
    it(`is repeated after ${name}`, async () => {
      const server = await bench.serve(afterFailures(2, fail))
      expect((await (await bench.connect(server.url)).get(VERSION)).data).to.equal('fine')
      expect(server.requests).to.have.length(3)
    })
  }

  it('is repeated after a server that stalls, once its deadline has passed', async () => {
    const server = await bench.serve(afterFailures(1, () => undefined))
    const connection = await bench.connect(server.url, {limits: {readTimeoutMs: 100}})
    expect((await connection.get(VERSION)).data).to.equal('fine')
    expect(server.requests).to.have.length(2)
  })

  it('holds its deadline against a body that trickles in', async () => {
    const timers: NodeJS.Timeout[] = []
    const server = await bench.serve((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{"data":"')
      timers.push(setInterval(() => socket.write('x'), 10))
    })
    const connection = await bench.connect(server.url, {limits: {readTimeoutMs: 100, tries: 1}})
    const error = await rejection(connection.get(VERSION))
    timers.forEach(clearInterval)
    expect(error.code).to.equal('timeout')
  })

  it('holds its deadline against a handshake that never ends', async () => {
    const silent = await startSilentServer()
    bench.onClose(() => silent.close())
    const connection = await bench.connect(silent.url, {limits: {readTimeoutMs: 100, tries: 1}})
    expect((await rejection(connection.get(VERSION))).code).to.equal('timeout')
  })

  it('gives up after a number of tries, with pauses that grow', async () => {
    const server = await bench.serve((_request, socket) =>
      socket.write(httpAnswer(596, 'Connection timed out', '')),
    )
    const clock = new SkippingClock()
    const connection = await bench.connect(server.url, {
      clock,
      limits: {tries: 5, baseDelayMs: 100, maxDelayMs: 350},
    })
    expect((await rejection(connection.get(VERSION))).code).to.equal('gateway_timeout')
    expect(server.requests).to.have.length(5)
    expect(clock.pausesMs).to.deep.equal([75, 150, 262.5, 262.5])
  })

  it('gives up when the total time would be exceeded', async () => {
    const server = await bench.serve((_request, socket) =>
      socket.write(httpAnswer(596, 'Connection timed out', '')),
    )
    const limits = {tries: 100, baseDelayMs: 100_000, maxDelayMs: 100_000, totalMs: 200_000}
    await rejection((await bench.connect(server.url, {limits})).get(VERSION))
    expect(server.requests).to.have.length(3)
  })

  const FINAL: [number, string, string][] = [
    [400, 'Parameter verification failed.', 'parameters_refused'],
    [401, 'Authentication failed!', 'unauthorized'],
    [403, 'Permission check failed (/vms/101, VM.Audit)', 'forbidden'],
    [500, "Configuration file 'nodes/pve/lxc/999.conf' does not exist", 'guest_missing'],
    [500, 'anything else', 'proxmox_error'],
    [501, "Method 'GET /x' not implemented", 'not_implemented'],
  ]
  for (const [status, reason, code] of FINAL) {
    it(`is not repeated after a ${status} "${reason}"`, async () => {
      const server = await bench.serve((_request, socket) => socket.write(httpAnswer(status, reason, '')))
      const error = await rejection((await bench.connect(server.url)).get(VERSION))
      expect(error.code).to.equal(code)
      expect(error.message).to.contain(reason)
      expect(server.requests).to.have.length(1)
    })
  }

  it('says that nobody listens', async () => {
    const connection = await bench.connect(`https://127.0.0.1:${await unusedPort()}`)
    const error = await rejection(connection.get(VERSION))
    expect(error.code).to.equal('unreachable')
    expect(error.message).to.contain('ECONNREFUSED')
  })

  it('goes to the next endpoint without a pause, and stays there', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const clock = new SkippingClock()
    const dead = `https://127.0.0.1:${await unusedPort()}`
    const connection = await bench.connect([dead, server.url], {clock, limits: {tries: 1}})
    for (let i = 0; i < 3; i++) expect((await connection.get(VERSION)).data).to.equal('fine')
    expect(clock.pausesMs).to.deep.equal([])
    expect(server.requests).to.have.length(3)
  })

  it('keeps to its share of connections, with one request at a time on each', async () => {
    let underWay = 0
    let most = 0
    const server = await bench.serve((_request, socket) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        socket.write(OK)
      }, 2)
    })
    const connection = await bench.connect(server.url, {limits: {reads: 3}})
    await Promise.all(Array.from({length: 30}, () => connection.get(VERSION)))
    expect(most).to.equal(3)
    expect(server.connections()).to.equal(3)
  })

  it('reports an answer that is not what Proxmox sends', async () => {
    for (const body of ['<html>login</html>', '[]', 'null', '{"other":1}', '']) {
      const server = await bench.serve((_request, socket) => socket.write(httpAnswer(200, 'OK', body)))
      const connection = await bench.connect(server.url, {limits: {tries: 1}})
      expect((await rejection(connection.get(VERSION))).code).to.equal('bad_answer')
    }
  })

  it('does not send what waits when it is told to stop', async () => {
    const server = await bench.serve((_request, socket) => socket.write(OK))
    const connection = await bench.connect(server.url, {limits: {reads: 1}})
    const stop = new AbortController()
    const first = connection.get(VERSION)
    const second = connection.get(VERSION, undefined, stop.signal).catch((error: unknown) => error)
    stop.abort(new Error('enough'))
    await first
    expect(await second).to.have.property('message', 'enough')
    expect(server.requests).to.have.length(1)
  })

  it('is cut off when the connection is closed', async () => {
    const abort = new AbortController()
    const server = await bench.serve(() => abort.abort())
    const connection = await bench.connect(server.url, {signal: abort.signal})
    const [first, second] = await Promise.all([
      rejection(connection.get(VERSION)),
      rejection(connection.get(VERSION)),
    ])
    expect(first.code).to.equal('interrupted')
    expect(second.code).to.equal('interrupted')
    expect((await rejection(connection.get(VERSION))).code).to.equal('interrupted')
  })

  it('never repeats the token, even if the server does', async () => {
    const echoes: Script[] = [
      (request, socket) => socket.write(httpAnswer(500, request.headers.get('authorization') ?? '', '')),
      (request, socket) =>
        socket.write(
          httpAnswer(
            400,
            'no',
            JSON.stringify({
              message: `you sent ${request.headers.get('authorization') ?? ''}`,
              errors: {[CANARY]: CANARY, other: `got ${CANARY}`},
            }),
          ),
        ),
      (request, socket) => socket.write(httpAnswer(200, 'OK', request.headers.get('authorization') ?? '')),
      (request, socket) => socket.end(`HTTP/1.1 ${request.headers.get('authorization') ?? ''}\r\n\r\n`),
    ]
    for (const script of echoes) {
      const server = await bench.serve(script)
      const connection = await bench.connect(server.url, {limits: {tries: 1}})
      expectNoCanary(await rejection(connection.get(VERSION)))
      expectNoCanary(connection)
      expect(server.received()).to.contain(CANARY)
    }
  })

  it('ends in an answer or a typed error, whatever bytes come back', async () => {
    let bytes: Uint8Array = Buffer.alloc(0)
    const server = await bench.serve((_request, socket) => socket.end(bytes))
    const connection = await bench.connect(server.url, {limits: {tries: 1}})
    const valid = Buffer.from(httpAnswer(200, 'OK', '{"data":{"a":[1,2]}}', ['X-Y: z', 'Connection: close']))
    const damaged = fc
      .tuple(fc.nat(valid.length - 1), fc.uint8Array({maxLength: 8}), fc.nat(4))
      .map(([at, junk, drop]) => Buffer.concat([valid.subarray(0, at), junk, valid.subarray(at + drop)]))
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({maxLength: 200}), damaged), async (sample) => {
        bytes = sample
        await connection.get(VERSION).catch((error: unknown) => {
          expect(error).to.be.instanceOf(FelhomError)
        })
      }),
      {numRuns: 150},
    )
  })
})

import {expect} from 'chai'
import {request as httpRequest, type IncomingMessage} from 'node:http'
import {once} from 'node:events'
import {LoopbackSandbox, impatientClock} from '../../../support/loopback-sandbox.ts'
import {RawConnection} from '../../../support/raw-https.ts'

const TOKEN = 'Authorization: PVEAPIToken=root@pam!felhom=11111111-2222-3333-4444-555555555555'
const GET_VERSION = ['GET /api2/json/version HTTP/1.1', 'Host: localhost', TOKEN, '', '']

describe('connections of the sandbox', () => {
  let box: LoopbackSandbox
  let open: RawConnection[] = []
  const connect = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(box.sandbox.url, box.sandbox.caPem)
    open.push(connection)
    return connection
  }

  before(async () => {
    box = await LoopbackSandbox.start({idleMs: 300, clock: impatientClock})
  })
  afterEach(() => {
    for (const connection of open) connection.socket.destroy()
    open = []
  })
  after(() => box.close())

  it('keep a connection alive for what the proxy answers by itself', async () => {
    const connection = await connect()
    for (let i = 0; i < 3; i++) {
      connection.send(...GET_VERSION)
      const answer = await connection.answer()
      expect(answer.statusLine).to.equal('HTTP/1.1 200 OK')
      expect(answer.headers['connection']).to.equal('Keep-Alive')
      expect(answer.headers['content-type']).to.equal('application/json;charset=UTF-8')
      expect(answer.headers['server']).to.equal('pve-api-daemon/3.0')
      expect(answer.headers).not.to.have.property('keep-alive')
    }
  })

  it('end after what the daemon answers', async () => {
    const connection = await connect()
    connection.send('GET /api2/json/nodes/pve/lxc HTTP/1.1', 'Host: localhost', TOKEN, '', '')
    expect((await connection.answer()).headers['connection']).to.equal('close')
    expect(await connection.closed()).to.equal('end')
  })

  it('end after an error', async () => {
    const connection = await connect()
    connection.send('GET /api2/json/nope HTTP/1.1', 'Host: localhost', TOKEN, '', '')
    const answer = await connection.answer()
    expect(answer.statusLine).to.equal("HTTP/1.1 501 Method 'GET /nope' not implemented")
    expect(await connection.closed()).to.equal('end')
  })

  it('end with their hundredth answer', async () => {
    const connection = await connect()
    const seen: (string | undefined)[] = []
    for (let i = 0; i < 100; i++) {
      connection.send(...GET_VERSION)
      seen.push((await connection.answer()).headers['connection'])
    }
    expect(seen.slice(0, 99)).to.deep.equal(Array.from({length: 99}, () => 'Keep-Alive'))
    expect(seen[99]).to.equal('close')
  })

  it('answer requests that arrive together one after the other', async () => {
    const connection = await connect()
    connection.send([...GET_VERSION].join('\r\n') + [...GET_VERSION].join('\r\n'))
    expect((await connection.answer()).statusLine).to.equal('HTTP/1.1 200 OK')
    expect((await connection.answer()).statusLine).to.equal('HTTP/1.1 200 OK')
  })

  it('are dropped without a word when they are idle', async () => {
    const connection = await connect()
    connection.send(...GET_VERSION)
    await connection.answer()
    await connection.closed()
    expect(connection.text).to.equal('')
  })

  it('leave out the length of an empty body', async () => {
    const connection = await connect()
    connection.send('HEAD /api2/json/version HTTP/1.1', 'Host: localhost', TOKEN, '', '')
    await connection.closed()
    expect(connection.text).to.match(/^HTTP\/1\.1 501 method 'HEAD' not available\r\n/)
    expect(connection.text).not.to.match(/content-length/i)
  })

  it('take a blank after the secret for part of it', async () => {
    const connection = await connect()
    connection.send('GET /api2/json/version HTTP/1.1', 'Host: localhost', `${TOKEN} `, '', '')
    await connection.closed()
    expect(connection.text).to.match(/^HTTP\/1\.1 401 Authentication failed!\r\n/)
  })

  it('take the body without 100 Continue', async () => {
    const connection = await connect()
    const form = [
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 7',
      'Expect: 100-continue',
    ]
    connection.send(
      'PUT /api2/json/nodes/pve/lxc/102/config HTTP/1.1',
      'Host: x',
      TOKEN,
      ...form,
      '',
      'cores=1',
    )
    expect((await connection.answer()).statusLine).to.equal('HTTP/1.1 200 OK')
  })

  it('give no answer to a head that is too large', async () => {
    const connection = await connect()
    connection.send(
      'GET /api2/json/version HTTP/1.1',
      'Host: x',
      TOKEN,
      `X-Long: ${'x'.repeat(9000)}`,
      '',
      '',
    )
    await connection.closed()
    expect(connection.text).to.equal('')
  })

  const refusals: [string, string[], string][] = [
    ['a line that is no request', ['nonsense', '', ''], 'HTTP/1.0 400 bad request'],
    ['HTTP/2 in words', ['GET / HTTP/2.0', '', ''], 'HTTP/1.0 506 http protocol version 2.0 not supported'],
    [
      'a header without a name',
      ['GET / HTTP/1.1', 'junk', ''],
      'HTTP/1.1 506 unable to parse request header',
    ],
    [
      'a chunked body',
      ['PUT /api2/json/version HTTP/1.1', TOKEN, 'Transfer-Encoding: chunked', '', '0', '', ''],
      'HTTP/1.1 501 chunked transfer encoding not supported',
    ],
    [
      'a body that is too large',
      ['PUT /api2/json/version HTTP/1.1', TOKEN, 'Content-Length: 524289', '', ''],
      'HTTP/1.1 501 for data too large',
    ],
    [
      'a body with DELETE',
      ['DELETE /api2/json/nodes/pve/lxc/102 HTTP/1.1', TOKEN, 'Content-Length: 4', '', 'a=b&'],
      "HTTP/1.1 501 Unexpected content for method 'DELETE'",
    ],
    [
      'a content type that is neither form nor JSON',
      ['PUT /api2/json/version HTTP/1.1', TOKEN, 'Content-Type: text/plain', 'Content-Length: 1', '', 'x'],
      "HTTP/1.1 506 upload 'Content-Type 'text/plain' not implemented",
    ],
  ]
  for (const [what, lines, statusLine] of refusals) {
    it(`refuse ${what}`, async () => {
      const connection = await connect()
      connection.send(...lines)
      const answer = await connection.answer()
      expect(answer.statusLine).to.equal(statusLine)
      expect(answer.headers).not.to.have.property('content-type')
      expect(statusLine).to.contain(answer.body)
    })
  }

  it('compress what is worth it for those who take it', async () => {
    const plain = await box.send('GET', '/api2/json/access/roles')
    const gzip = await box.send('GET', '/api2/json/access/roles', undefined, {'Accept-Encoding': 'gzip'})
    const deflate = await box.send('GET', '/api2/json/access/roles', undefined, {
      'Accept-Encoding': 'deflate',
    })
    const short = await box.send('GET', '/api2/json/version', undefined, {'Accept-Encoding': 'gzip'})
    expect(plain.headers['content-encoding']).to.equal(undefined)
    expect(gzip.headers['content-encoding']).to.equal('gzip')
    expect(Number(gzip.headers['content-length'])).to.be.lessThan(plain.text.length)
    expect(deflate.headers['content-encoding']).to.equal('deflate')
    expect(short.headers['content-encoding']).to.equal(undefined)
  })

  const overPlainHttp = async (method: string): Promise<IncomingMessage> => {
    const url = `${box.sandbox.url.replace('https', 'http')}/api2/json/version?x=1`
    const [response] = (await once(httpRequest(url, {method, agent: false}).end(), 'response')) as [
      IncomingMessage,
    ]
    response.resume()
    return response
  }

  it('send plain HTTP to HTTPS on the same port', async () => {
    const get = await overPlainHttp('GET')
    expect([get.statusCode, get.statusMessage]).to.deep.equal([301, 'Moved Permanently'])
    expect(get.headers.location).to.equal(`${box.sandbox.url}/api2/json/version?x=1`)
    const post = await overPlainHttp('POST')
    expect([post.statusCode, post.statusMessage]).to.deep.equal([308, 'Permanent Redirect'])
    const head = await overPlainHttp('HEAD')
    expect([head.statusCode, head.statusMessage]).to.deep.equal([501, "method 'HEAD' not available"])
  })
})

import {request, type IncomingMessage} from 'node:http'
import {connect, type Socket} from 'node:net'
import {expect} from 'chai'
import {
  jsonAnswer,
  startStatusServer,
  type StatusServer,
  type StatusServerOptions,
} from '../../../../../src/lib/app/daemon/tell/status-server.ts'
import {CANARY} from '../../../../support/canary.ts'
import {rejection} from '../../../../support/reject.ts'
import {waitFor} from '../../../../support/wait-for.ts'

interface Asked {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const PAGES = {
  '/healthz': () => jsonAnswer(200, {ok: true}),
  '/broken': () => {
    throw new Error('out of order')
  },
}

describe('the status server', () => {
  let server: StatusServer | undefined
  let warnings: string[]

  const start = async (change: Partial<StatusServerOptions> = {}): Promise<URL> => {
    warnings = []
    const warn = (text: string): void => void warnings.push(text)
    server = await startStatusServer({listen: '127.0.0.1:0', pages: PAGES, warn, ...change})
    return new URL(server.address)
  }
  afterEach(async () => {
    await server?.close()
    server = undefined
  })

  const ask = (
    {port}: URL,
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    body?: string,
  ): Promise<Asked> =>
    new Promise((resolve, reject) => {
      const asked = request({host: '127.0.0.1', port, path, method, headers, agent: false}, (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => {
          resolve({status: answer.statusCode ?? 0, headers: answer.headers, text})
        })
      })
      asked.on('error', reject)
      asked.end(body)
    })

  /** What comes back to raw bytes until the other side ends. */
  const sendRaw = (
    {port}: URL,
    bytes: string,
  ): {socket: Socket; received: () => string; isOver: () => boolean} => {
    let text = ''
    let over = false
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('data', (chunk) => (text += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.on('close', () => (over = true))
    socket.write(bytes)
    return {socket, received: () => text, isOver: () => over}
  }

  it('answers a page it has, and HEAD without the text', async () => {
    const url = await start()
    const page = await ask(url, '/healthz?x=1')
    expect(page).to.include({status: 200, text: '{\n  "ok": true\n}\n'})
    expect(page.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    })
    const head = await ask(url, '/healthz', {}, 'HEAD')
    expect(head).to.include({status: 200, text: ''})
    expect(head.headers['content-length']).to.equal('17')
  })

  it('answers 404 to other paths, and 405 to other methods', async () => {
    const url = await start()
    for (const path of ['/', '/healthz/', '/constructor', '/__proto__', '//healthz'])
      expect((await ask(url, path)).status, path).to.equal(404)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const answer = await ask(url, '/healthz', {}, method, method === 'OPTIONS' ? undefined : 'x=1')
      expect(answer.status, method).to.equal(405)
      expect(answer.headers['allow']).to.equal('GET, HEAD')
    }
  })

  it('does not take what it left unread of a body for another request', async () => {
    const hidden = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const head = `POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${hidden.length}\r\n\r\n`
    const sent = sendRaw(await start(), head + hidden)
    await waitFor(() => Promise.resolve(sent.isOver()))
    expect(sent.received()).to.match(/^HTTP\/1.1 405 .*connection: close/is)
    expect(sent.received()).not.to.contain('200 OK')
  })

  it('answers 500 where a page cannot be made, and tells why only to the log', async () => {
    const answer = await ask(await start(), '/broken')
    expect(answer.status).to.equal(500)
    expect(answer.text).not.to.contain('out of order')
    expect(warnings).to.deep.equal(['/broken could not be answered: out of order'])
  })

  it('answers on loopback only to those who call it by an address of loopback', async () => {
    const url = await start()
    for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1:9610', '127.1.2.3', '[::1]', '[::1]:9610'])
      expect((await ask(url, '/healthz', {host})).status, host).to.equal(200)
    for (const host of [
      'evil.example',
      '127.0.0.1.evil.example',
      'localhost.evil.example:80',
      '[::2]',
      '0.0.0.0',
    ])
      expect((await ask(url, '/healthz', {host})).status, host).to.be.oneOf([400, 403])
  })

  it('does not answer on loopback to those who call it by no name at all', async () => {
    const url = await start()
    const old = sendRaw(url, 'GET /healthz HTTP/1.0\r\n\r\n')
    await waitFor(() => Promise.resolve(old.isOver()))
    expect(old.received()).to.match(/^HTTP\/1.1 403 /)
  })

  it('asks for the token where there is one, and names nothing else before', async () => {
    const url = await start({token: CANARY})
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Basic ${CANARY}`,
      `Bearer ${CANARY}x`,
      `Bearer ${CANARY} x`,
    ]) {
      const answer = await ask(url, '/none', authorization === '' ? {} : {authorization})
      expect(answer.status, authorization).to.equal(401)
      expect(answer.headers['www-authenticate']).to.equal('Bearer realm="felhom"')
    }
    expect(
      (await ask(url, '/healthz', {authorization: `bearer ${CANARY}`, host: 'felhom.example'})).status,
    ).to.equal(200)
  })

  it('does not listen where others could ask without a token', async () => {
    for (const listen of ['0.0.0.0:0', '[::]:0', '192.0.2.1:0', 'felhom.example:0']) {
      const error = await rejection(startStatusServer({listen, pages: PAGES, warn: () => undefined}))
      expect(error, listen).to.include({code: 'settings_invalid'})
      expect(error.message).to.contain('there is no token')
    }
    await start({listen: '0.0.0.0:0', token: CANARY})
  })

  it('says who is in the way when it cannot listen', async () => {
    const url = await start()
    const error = await rejection(
      startStatusServer({listen: `127.0.0.1:${url.port}`, pages: PAGES, warn: () => undefined}),
    )
    expect(error).to.include({code: 'settings_invalid'})
    expect(error.message).to.contain('EADDRINUSE')
    expect(await rejection(startStatusServer({listen: 'x', pages: {}, warn: () => undefined}))).to.include({
      code: 'settings_invalid',
    })
  })

  it('refuses a request with an endless head', async () => {
    const url = await start()
    const long = sendRaw(url, `GET /healthz?${'x'.repeat(9000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await waitFor(() => Promise.resolve(long.isOver()))
    expect(long.received()).to.match(/^HTTP\/1.1 431 /)
  })

  it('hangs up on those who send their request too slowly, and on those who say nothing more', async () => {
    const url = await start({
      limits: {headersTimeout: 60, requestTimeout: 80, keepAliveTimeout: 30, connectionsCheckingInterval: 20},
    })
    const slow = sendRaw(url, 'GET /healthz HTTP/1.1\r\nHost: local')
    const idle = sendRaw(url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await waitFor(() => Promise.resolve(slow.isOver() && idle.isOver()))
    expect(slow.received()).to.match(/^HTTP\/1.1 408 /)
    expect(idle.received()).to.match(/^HTTP\/1.1 200 /)
  })

  it('closes at once, whoever is still connected', async () => {
    const url = await start()
    const silent = sendRaw(url, 'GET /he')
    const keptAlive = sendRaw(url, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await waitFor(() => Promise.resolve(keptAlive.received() !== ''))
    await server?.close()
    await waitFor(() => Promise.resolve(silent.isOver() && keptAlive.isOver()))
  })
})

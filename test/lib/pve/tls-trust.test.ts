import {expect} from 'chai'
import {ApiToken} from '../../../src/lib/pve/api-token.ts'
import {Connection, type ConnectionOptions} from '../../../src/lib/pve/connection.ts'
import {joinPath} from '../../../src/lib/pve/paths.ts'
import type {TlsTrust} from '../../../src/lib/pve/tls-trust.ts'
import {CANARY, CANARY_TOKEN, expectNoCanary} from '../../support/canary.ts'
import {createAuthority, type Authority, type Identity} from '../../support/certificates.ts'
import {rejection} from '../../support/reject.ts'
import {
  dataAnswer,
  startScriptedServer,
  startSilentServer,
  type ScriptedServer,
} from '../../support/scripted-server.ts'

const VERSION = joinPath('version')
const PUT = {method: 'PUT', path: VERSION, node: 'pve1', params: {a: 1}, synchronous: true} as const

describe('trust in the server', () => {
  let authority: Authority
  let identity: Identity
  const closers: (() => Promise<void>)[] = []

  before(async () => {
    authority = await createAuthority()
    identity = await authority.issue()
  })

  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()))
  })

  async function serve(as: Identity): Promise<ScriptedServer> {
    const server = await startScriptedServer(as, (_request, socket) => socket.write(dataAnswer('x')))
    closers.push(() => server.close())
    return server
  }

  function connect(url: string, trust: TlsTrust, more: Partial<ConnectionOptions> = {}): Connection {
    const connection = new Connection({endpoints: [url], token: ApiToken.parse(CANARY_TOKEN), trust, ...more})
    closers.push(() => connection.close())
    return connection
  }

  /** Both ways in which bytes could leave, a read and a mutation, fail with `code`, and none did leave. */
  async function expectNothingLeft(
    server: ScriptedServer,
    connection: Connection,
    code: string,
  ): Promise<void> {
    for (const work of [connection.get(VERSION), connection.mutate(PUT)]) {
      const error = await rejection(work)
      expect(error.code).to.equal(code)
      expect(error.hint).to.be.a('string')
      expectNoCanary(error)
    }
    expect(await rejection(connection.mutate(PUT))).to.have.property('executed', 'no')
    expect(server.received()).to.equal('')
  }

  it('sends the token to a server that the CA vouches for', async () => {
    const server = await serve(identity)
    const answer = await connect(server.url, {ca: authority.pem}).get(VERSION)
    expect(answer.data).to.equal('x')
    expect(server.received()).to.contain(`PVEAPIToken=root@pam!felhom=${CANARY}`)
  })

  it('sends the token to a server whose fingerprint is pinned, however it is written', async () => {
    const server = await serve(identity)
    const {fingerprint} = identity
    for (const pin of [fingerprint, fingerprint.toLowerCase(), fingerprint.replaceAll(':', '')]) {
      const connection = connect(server.url, {fingerprints: ['00'.repeat(32), pin]})
      expect((await connection.get(VERSION)).data).to.equal('x')
      expect((await connection.mutate(PUT)).data).to.equal('x')
    }
  })

  it('knows a pinned server again on every new connection', async () => {
    const server = await serve(identity)
    const connection = connect(server.url, {fingerprints: [identity.fingerprint]})
    for (let i = 0; i < 4; i++) expect((await connection.mutate(PUT)).data).to.equal('x')
    expect(server.connections()).to.equal(4)
  })

  it('writes nothing to a server that another CA vouches for', async () => {
    const stranger = await createAuthority('somebody else')
    const server = await serve(await stranger.issue())
    await expectNothingLeft(server, connect(server.url, {ca: authority.pem}), 'tls_untrusted')
  })

  it('writes nothing to a server whose certificate has expired', async () => {
    const server = await serve(await authority.issue({expired: true}))
    await expectNothingLeft(server, connect(server.url, {ca: authority.pem}), 'tls_untrusted')
  })

  it('writes nothing to a server whose certificate is for another host', async () => {
    const server = await serve(await authority.issue({hosts: ['pve9.example', '192.0.2.9']}))
    await expectNothingLeft(server, connect(server.url, {ca: authority.pem}), 'tls_untrusted')
  })

  it('writes nothing to a server whose fingerprint is not pinned, though the CA is right', async () => {
    const server = await serve(identity)
    const other = await authority.issue()
    await expectNothingLeft(
      server,
      connect(server.url, {fingerprints: [other.fingerprint]}),
      'tls_pin_mismatch',
    )
  })

  it('verifies even when the environment says not to', async () => {
    const stranger = await createAuthority('somebody else')
    const server = await serve(await stranger.issue())
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      await expectNothingLeft(server, connect(server.url, {ca: authority.pem}), 'tls_untrusted')
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })

  it('does not go on to the next endpoint when one cannot prove who it is', async () => {
    const stranger = await createAuthority('somebody else')
    const [imposter, honest] = [await serve(await stranger.issue()), await serve(identity)]
    const connection = connect(imposter.url, {ca: authority.pem}, {endpoints: [imposter.url, honest.url]})
    expect((await rejection(connection.get(VERSION))).code).to.equal('tls_untrusted')
    expect(honest.connections()).to.equal(0)
  })

  it('says that the port does not speak TLS', async () => {
    const server = await startSilentServer('HTTP/1.1 400 Bad Request\r\n\r\n')
    closers.push(() => server.close())
    const connection = connect(server.url, {ca: authority.pem})
    expect((await rejection(connection.get(VERSION))).code).to.equal('tls_failed')
  })

  it('refuses trust settings that name nothing to trust', () => {
    const refused: TlsTrust[] = [
      {ca: 'no certificate'},
      {ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'},
      {fingerprints: []},
      {fingerprints: ['AB:CD']},
    ]
    for (const trust of refused) {
      expect(() => connect('https://127.0.0.1:1', trust))
        .to.throw()
        .with.property('code', 'settings_invalid')
    }
  })
})

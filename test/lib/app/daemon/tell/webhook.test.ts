import {createServer} from 'node:https'
import type {AddressInfo} from 'node:net'
import {expect} from 'chai'
import {Webhook, WEBHOOK_LIMITS, type WebhookOptions} from '../../../../../src/lib/app/daemon/tell/webhook.ts'
import {systemClock} from '../../../../../src/lib/app/system-clock.ts'
import type {Alert} from '../../../../../src/lib/model/daemon.ts'
import {CANARY} from '../../../../support/canary.ts'
import {createAuthority} from '../../../../support/certificates.ts'
import {PASS_MS} from '../../../../support/pass-report.ts'
import {VirtualPauses} from '../../../../support/virtual-pauses.ts'
import {waitFor} from '../../../../support/wait-for.ts'
import {
  answer,
  hang,
  reset,
  startWebhookServer,
  type PostScript,
  type WebhookServer,
} from '../../../../support/webhook-server.ts'

const alert = (n: number): Alert => ({
  kind: 'drift_found',
  key: `drift_found:lxc/${n}:x`,
  state: 'began',
  guest: {kind: 'lxc', vmid: n},
  text: `lxc/${n} differs`,
})

describe('the webhook', () => {
  let server: WebhookServer
  let webhook: Webhook | undefined
  let clock: VirtualPauses
  let warnings: string[]
  let counted: string[]

  const open = async (scripts: PostScript[], change: Partial<WebhookOptions> = {}): Promise<Webhook> => {
    server = await startWebhookServer(...scripts)
    clock = new VirtualPauses(PASS_MS)
    warnings = []
    counted = []
    webhook = new Webhook({
      ...{url: server.url, host: 'felhom-1', version: '1.2.3', clock, random: () => 0.5},
      warn: (text) => void warnings.push(text),
      count: (result) => void counted.push(result),
      ...change,
    })
    return webhook
  }
  afterEach(async () => {
    await webhook?.close(0)
    await server.close()
  })

  const settled = (count: number): Promise<void> => waitFor(() => Promise.resolve(counted.length === count))
  const received = (): unknown[] => server.posts.map(({body}) => body.alert['text'])

  it('posts an alert with its id, its times and the name of the machine', async () => {
    const hook = await open([], {token: CANARY})
    hook.post(alert(101), PASS_MS - 5000)
    await settled(1)
    const [post] = server.posts
    expect(post?.headers).to.include({
      authorization: `Bearer ${CANARY}`,
      'content-type': 'application/json',
      'user-agent': 'felhom/1.2.3',
      'idempotency-key': post?.body.id,
    })
    expect(post?.body).to.deep.equal({
      version: 1,
      id: post?.body.id,
      at: '2026-11-18T05:59:55.000Z',
      sentAt: '2026-11-18T06:00:00.000Z',
      host: 'felhom-1',
      alert: {
        kind: 'drift_found',
        key: 'drift_found:lxc/101:x',
        state: 'began',
        guest: 'lxc/101',
        text: 'lxc/101 differs',
      },
    })
    expect(hook.pending()).to.deep.equal([])
  })

  it('sends what failed again with the same id, after growing pauses, before what came later', async () => {
    const hook = await open([answer(500), reset, hang, answer(503), answer(200)], {limits: {timeoutMs: 200}})
    hook.post(alert(1), PASS_MS)
    hook.post(alert(2), PASS_MS)
    await settled(2)
    expect(received()).to.deep.equal([...Array<string>(5).fill('lxc/1 differs'), 'lxc/2 differs'])
    expect(new Set(server.posts.slice(0, 5).map(({body}) => body.id)).size).to.equal(1)
    expect(server.posts[5]?.body.id).not.to.equal(server.posts[0]?.body.id)
    expect(clock.pausesMs).to.deep.equal([750, 1500, 3000, 6000])
    expect(server.most()).to.equal(1)
    expect(warnings).to.have.length(1)
  })

  it('begins with short pauses again once something has arrived', async () => {
    const hook = await open([answer(500), answer(500), answer(200), answer(500), answer(200)])
    hook.post(alert(1), PASS_MS)
    hook.post(alert(2), PASS_MS)
    await settled(2)
    expect(clock.pausesMs).to.deep.equal([750, 1500, 750])
    expect(warnings).to.have.length(2)
  })

  it('waits as long as it is asked to, within reason', async () => {
    const date = new Date(PASS_MS + 90_000).toUTCString()
    const asked = ['7', '999999', date].map((after) => answer(429, {'retry-after': after}))
    const hook = await open([asked[0] ?? hang, asked[1] ?? hang])
    hook.post(alert(1), PASS_MS)
    await settled(1)
    expect(clock.pausesMs).to.deep.equal([7000, WEBHOOK_LIMITS.longestAskedPauseMs])
    await hook.close(0)
    await server.close()
    const another = await open([asked[2] ?? hang])
    another.post(alert(1), PASS_MS)
    await settled(1)
    expect(clock.pausesMs).to.deep.equal([90_000])
  })

  it('does not send again what is refused for good, nor follow to another address', async () => {
    const hook = await open([answer(400), answer(302, {location: 'http://127.0.0.1:1/'})])
    for (const n of [1, 2, 3]) hook.post(alert(n), PASS_MS)
    await settled(3)
    expect(counted).to.deep.equal(['refused', 'refused', 'delivered'])
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.contain('it answers 400').and.contain('lxc/1 differs')
  })

  it('gives up what has become too old, and says so', async () => {
    const hook = await open(Array<PostScript>(40).fill(answer(500)), {limits: {giveUpMs: 3_600_000}})
    hook.post(alert(1), PASS_MS)
    await settled(1)
    expect(counted).to.deep.equal(['given_up'])
    expect(clock.pausesMs.reduce((sum, ms) => sum + ms, 0)).to.be.greaterThan(0.9 * 3_600_000)
    expect(Math.max(...clock.pausesMs)).to.be.at.most(WEBHOOK_LIMITS.longestPauseMs)
    expect(warnings.at(-1)).to.contain('it is given up: lxc/1 differs')
  })

  it('drops the oldest that waits when too many do, and says how many once it works again', async () => {
    const hook = await open([hang], {limits: {mostPending: 3, timeoutMs: 300}})
    for (const n of [1, 2, 3, 4, 5]) hook.post(alert(n), PASS_MS)
    await settled(5)
    expect(received()).to.deep.equal([1, 1, 4, 5].map((n) => `lxc/${n} differs`))
    expect(counted).to.deep.equal(['dropped', 'dropped', 'delivered', 'delivered', 'delivered'])
    expect(warnings.at(-1)).to.contain('2 were dropped')
  })

  it('never names more of the address than its host', async () => {
    const hook = await open([answer(404), answer(500)])
    hook.post(alert(1), PASS_MS)
    hook.post(alert(2), PASS_MS)
    await settled(2)
    expect(warnings).to.have.length(2)
    expect(warnings.join()).to.contain(new URL(server.url).host).and.not.to.contain('secret-key')
  })

  it('does not make whoever posts wait, nor throws where nobody listens', async () => {
    const hook = await open([], {url: 'http://127.0.0.1:1/'})
    clock.jumps = false
    hook.post(alert(1), PASS_MS)
    expect(server.posts).to.have.length(0)
    await waitFor(() => Promise.resolve(warnings.length === 1))
    expect(warnings[0]).to.contain('ECONNREFUSED')
  })

  it('sends at its end what it can without a pause, and keeps the rest with its ids', async () => {
    const hook = await open([answer(500), answer(200), answer(500)])
    clock.jumps = false
    for (const n of [1, 2, 3]) hook.post(alert(n), PASS_MS)
    await waitFor(() => Promise.resolve(server.posts.length === 1))
    await hook.close(60_000)
    expect(received()).to.deep.equal([1, 1, 2].map((n) => `lxc/${n} differs`))
    const left = hook.pending()
    expect(left.map(({id}) => id)).to.include(server.posts[2]?.body.id)
    expect(left).to.have.length(2)
    hook.post(alert(4), PASS_MS)
    expect(server.posts).to.have.length(3)

    const again = new Webhook({
      ...{url: server.url, host: 'felhom-1', version: '1', clock, warn: () => undefined},
      pending: left,
    })
    await waitFor(() => Promise.resolve(again.pending().length === 0))
    expect(server.posts.slice(3).map(({body}) => body.id)).to.deep.equal(left.map(({id}) => id))
    await again.close(0)
  })

  it('does not take up another protocol, and is not held by who offers it', async () => {
    const upgrade: PostScript = (response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    }
    const hook = await open([upgrade])
    hook.post(alert(1), PASS_MS)
    hook.post(alert(2), PASS_MS)
    await settled(2)
    expect(counted).to.deep.equal(['refused', 'delivered'])
    expect(warnings.join()).to.contain('it answers 101')
  })

  it('tells nothing to a server that cannot prove who it is, whatever the environment says', async () => {
    const {cert, key} = await (await createAuthority()).issue()
    let requests = 0
    const stranger = createServer({cert, key}, (_, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const url = `https://127.0.0.1:${(stranger.address() as AddressInfo).port}/`
      const hook = await open([], {url, token: CANARY})
      hook.post(alert(1), PASS_MS)
      await waitFor(() => Promise.resolve(warnings.length > 0))
      expect(warnings.join()).to.contain('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
      expect(requests).to.equal(0)
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
      stranger.close()
    }
  })

  it('sends again what was cut off before the answer', async () => {
    const hook = await open([(response) => void response.socket?.end()])
    hook.post(alert(1), PASS_MS)
    await settled(1)
    expect(counted).to.deep.equal(['delivered'])
    expect(clock.pausesMs).to.have.length(1)
  })

  it('ends in time where a request never does', async () => {
    let sent = 0
    const send = (): Promise<never> => {
      sent++
      return new Promise(() => undefined)
    }
    const hook = await open([], {send, clock: systemClock})
    hook.post(alert(1), PASS_MS)
    await waitFor(() => Promise.resolve(sent === 1))
    await hook.close(20)
    expect(hook.pending()).to.have.length(1)
  })

  it('waits at its end no longer than it is told', async () => {
    const hook = await open([hang], {clock: systemClock})
    hook.post(alert(1), PASS_MS)
    await waitFor(() => Promise.resolve(server.posts.length === 1))
    await hook.close(20)
    expect(hook.pending()).to.have.length(1)
    expect(warnings).to.deep.equal([])
  })
})

import {expect} from 'chai'
import {once} from 'node:events'
import {createServer, type AddressInfo} from 'node:net'
import {startLiveRead, type LiveStateRequest} from '../../../../src/lib/app/plan/choose-live-state.ts'
import {loadSettings} from '../../../../src/lib/settings/load-settings.ts'

const NOWHERE = '/nonexistent'

async function requestFor(endpoint: string, token: string): Promise<LiveStateRequest> {
  const env = {
    FELHOM_ENDPOINT: endpoint,
    FELHOM_TLS_FINGERPRINTS: 'AB'.repeat(32),
    FELHOM_TOKEN: token,
  }
  const {settings} = await loadSettings({cwd: NOWHERE, env})
  return {cwd: NOWHERE, env, settings, packageRoot: NOWHERE, sandbox: false}
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('startLiveRead', () => {
  it('is under way as soon as the request is on the network, long before there is an answer', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const {port} = server.address() as AddressInfo
    const asked = once(server, 'connection')
    const live = startLiveRead(await requestFor(`https://127.0.0.1:${String(port)}`, 'root@pam!test=secret'))
    await live.underWay
    const [socket] = (await asked) as [{destroy(): void}]
    live.abandon()
    socket.destroy()
    server.close()
    expect(await failureOf(live.state)).to.have.property('code', 'interrupted')
  })

  it('does not keep anybody waiting who could not send anything', async () => {
    const live = startLiveRead(await requestFor('https://127.0.0.1:1', 'no token'))
    await live.underWay
    expect(await failureOf(live.state)).to.have.property('code', 'token_invalid')
  })

  it('lets other work begin at once where a file is read', async () => {
    const live = startLiveRead({...(await requestFor('https://127.0.0.1:1', '')), capture: 'missing.json'})
    await live.underWay
    expect(await failureOf(live.state)).to.have.property('code')
  })
})

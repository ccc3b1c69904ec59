import {expect} from 'chai'
import {readFileSync} from 'node:fs'
import {Api, type ApiAnswer, type ApiRequest} from '../../../src/lib/sandbox/api.ts'
import type {Route} from '../../../src/lib/sandbox/call.ts'
import {VirtualClock} from '../../../src/lib/sandbox/clock.ts'
import {Cluster} from '../../../src/lib/sandbox/cluster.ts'
import {loadSeed} from '../../../src/lib/sandbox/seed.ts'
import {PveError} from '../../../src/lib/sandbox/pve-error.ts'
import {allRoutes} from '../../../src/lib/sandbox/routes.ts'

const seed: unknown = JSON.parse(
  readFileSync(new URL('../../fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8'),
)
const TOKENS = {
  full: 'root@pam!felhom=11111111-2222-3333-4444-555555555555',
  ro: 'ro@pve!audit=22222222-3333-4444-5555-666666666666',
  expired: 'root@pam!expired=55555555-6666-7777-8888-999999999999',
}

class Harness {
  readonly clock = new VirtualClock()
  readonly cluster = new Cluster(loadSeed(seed), this.clock)
  readonly api: Api
  constructor(routes?: Route[]) {
    this.api = new Api(this.cluster, routes)
  }

  async send(
    method: string,
    url: string,
    options: Partial<ApiRequest> = {},
  ): Promise<ApiAnswer & {tookMs: number}> {
    const startedMs = this.clock.now()
    const headers = {authorization: `PVEAPIToken=${TOKENS.full}`, ...options.headers}
    const answer = await this.clock.run(this.api.handle({method, url, ...options, headers}))
    return {...answer, tookMs: this.clock.now() - startedMs}
  }
}

const form = (body: string): Partial<ApiRequest> => ({
  body,
  headers: {'content-type': 'application/x-www-form-urlencoded', 'content-length': String(body.length)},
})
const as = (authorization: string | undefined): Partial<ApiRequest> => ({headers: {authorization}})

describe('Api', () => {
  it('has one route for each method and path', () => {
    const keys = allRoutes.map((r) => `${r.method} ${r.path}`)
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).to.deep.equal([])
  })

  it('answers in JSON', async () => {
    const answer = await new Harness().send('GET', '/api2/json/version')
    expect(answer).to.deep.include({
      status: 200,
      reason: 'OK',
      contentType: 'application/json;charset=UTF-8',
      text: '{"data":{"release":"9.1","repoid":"cf3780f9","version":"9.1.10"}}',
      closes: false,
      route: '/version',
    })
  })

  it('tells the first line of an error in the reason phrase and all of it in the body', async () => {
    const routes: Route[] = [
      {
        method: 'GET',
        path: '/version',
        handler: () => {
          throw new PveError(500, 'first\nsecond\n')
        },
      },
    ]
    const answer = await new Harness(routes).send('GET', '/api2/json/version')
    expect([answer.status, answer.reason]).to.deep.equal([500, 'first'])
    expect(answer.text).to.equal('{"data":null,"message":"first\\nsecond\\n"}')
    expect(answer.closes).to.equal(true)
  })

  it('answers 400 with nothing when an error holds a carriage return', async () => {
    const routes: Route[] = [
      {
        method: 'GET',
        path: '/version',
        handler: () => {
          throw new PveError(500, 'split\r\nX-Injected: yes\n')
        },
      },
    ]
    const answer = await new Harness(routes).send('GET', '/api2/json/version')
    expect([answer.status, answer.reason, answer.text]).to.deep.equal([400, 'Bad Request', ''])
  })

  it('says an internal error instead of throwing it', async () => {
    const routes: Route[] = [
      {
        method: 'GET',
        path: '/version',
        handler: () => {
          throw new TypeError('oops')
        },
      },
    ]
    const answer = await new Harness(routes).send('GET', '/api2/json/version')
    expect(answer.status).to.equal(500)
    expect(answer.reason).to.contain('internal error of the sandbox: TypeError: oops')
  })

  describe('with extjs', () => {
    it('answers 200 whatever happened', async () => {
      const answer = await new Harness().send('GET', '/api2/extjs/nope')
      expect(answer.status).to.equal(200)
      expect(JSON.parse(answer.text)).to.deep.equal({
        data: null,
        message: "Method 'GET /nope' not implemented",
        status: 501,
        success: 0,
      })
    })

    it('writes the code of a refusal as text', async () => {
      const answer = await new Harness().send('GET', '/api2/extjs/nodes/pve/lxc/102/config?x=1')
      expect(JSON.parse(answer.text)).to.include({status: '400', success: 0})
    })
  })

  describe('checks in the order of the original', () => {
    const harness = new Harness()
    const config = '/api2/json/nodes/pve/lxc/102/config'
    const cases: [string, () => Promise<ApiAnswer>, number, string][] = [
      [
        'the method',
        () => harness.send('TRACE', '/nope', as(undefined)),
        501,
        "method 'TRACE' not available",
      ],
      ['the format', () => harness.send('GET', '/api2', as(undefined)), 501, 'no such uri'],
      ['the credentials', () => harness.send('GET', '/api2/jsonx/nope', as(undefined)), 401, 'No ticket'],
      [
        'the body',
        () => harness.send('DELETE', '/api2/jsonx/nope', form('a=1')),
        501,
        "Unexpected content for method 'DELETE'",
      ],
      [
        'the formatter',
        () => harness.send('GET', '/api2/jsonx/nope'),
        501,
        'no formatter for uri /nope, jsonx',
      ],
      [
        'the path',
        () => harness.send('GET', '/api2/json/nope?x=1'),
        501,
        "Method 'GET /nope' not implemented",
      ],
      [
        'the privilege',
        () => harness.send('PUT', `${config}?cores=x`, as(`PVEAPIToken=${TOKENS.ro}`)),
        403,
        'Permission check failed (/vms/102, VM.Config.Disk|VM.Config.CPU|VM.Config.Memory|VM.Config.Network|VM.Config.Options)',
      ],
      [
        'the node',
        () => harness.send('PUT', '/api2/json/nodes/pve-refused/lxc/102/config?cores=x'),
        595,
        'Connection refused',
      ],
      [
        'the parameters',
        () => harness.send('PUT', '/api2/json/nodes/pve/lxc/999/config?cores=x'),
        400,
        'Parameter verification failed.',
      ],
    ]
    for (const [what, send, status, reason] of cases) {
      it(`${what}, next`, async () => {
        const answer = await send()
        expect([answer.status, answer.reason]).to.deep.equal([status, reason])
      })
    }
  })

  describe('authentication', () => {
    const failures: [string, string | undefined, string][] = [
      ['no credentials', undefined, 'No ticket'],
      ['another scheme', `Bearer ${TOKENS.full}`, 'No ticket'],
      ['an expired token', `PVEAPIToken=${TOKENS.expired}`, 'Authentication failed!'],
      ['an unknown token', 'PVEAPIToken=root@pam!nope=x', 'Authentication failed!'],
      ['a wrong secret', `PVEAPIToken=${TOKENS.full}0`, 'Authentication failed!'],
      ['a forged ticket', 'PVEAuthCookie=PVE:root@pam:00000000::x', 'Authentication failed!'],
    ]
    for (const [what, authorization, reason] of failures) {
      it(`refuses ${what} with an empty 401 after three seconds`, async () => {
        const answer = await new Harness().send('GET', '/api2/json/version', as(authorization))
        expect([answer.status, answer.reason, answer.text]).to.deep.equal([401, reason, ''])
        expect(answer.contentType).to.equal(undefined)
        expect(answer.tookMs).to.equal(3000)
      })
    }

    it('refuses the token of a user who is disabled or has expired', async () => {
      for (const change of [{enable: 0}, {expire: 1}]) {
        const harness = new Harness()
        Object.assign(harness.cluster.state.access.users.find((u) => u.userid === 'ro@pve') ?? {}, change)
        const answer = await harness.send('GET', '/api2/json/version', as(`PVEAPIToken=${TOKENS.ro}`))
        expect(answer.reason).to.equal('Authentication failed!')
      }
    })

    const login = async (harness: Harness): Promise<{ticket: string; CSRFPreventionToken: string}> => {
      const {headers, body} = form('username=ro%40pve&password=readonly123')
      const answer = await harness.send('POST', '/api2/json/access/ticket', {
        ...(body !== undefined && {body}),
        headers: {...headers, authorization: undefined},
      })
      return (JSON.parse(answer.text) as {data: {ticket: string; CSRFPreventionToken: string}}).data
    }

    it('takes a ticket for two hours', async () => {
      const harness = new Harness()
      const {ticket} = await login(harness)
      const cookie = {
        headers: {cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}`, authorization: undefined},
      }
      expect((await harness.send('GET', '/api2/json/version', cookie)).status).to.equal(200)
      await harness.clock.advance(7200_000)
      expect((await harness.send('GET', '/api2/json/version', cookie)).status).to.equal(401)
    })

    it('takes a ticket for a write only with its CSRF token', async () => {
      const harness = new Harness()
      const {ticket, CSRFPreventionToken} = await login(harness)
      const headers = {cookie: `PVEAuthCookie=${ticket}`, authorization: undefined}
      const bare = await harness.send('PUT', '/api2/json/nodes/pve/lxc/102/config?cores=1', {headers})
      expect([bare.status, bare.reason]).to.deep.equal([401, 'Permission denied - invalid csrf token'])
      const whole = {headers: {...headers, csrfpreventiontoken: CSRFPreventionToken}}
      expect(
        (await harness.send('PUT', '/api2/json/nodes/pve/lxc/102/config?cores=1', whole)).status,
      ).to.equal(403)
    })

    it('gives no ticket to a token, and a new one for an old one', async () => {
      const harness = new Harness()
      const {ticket} = await login(harness)
      const renewal = `username=ro%40pve&password=${encodeURIComponent(ticket)}`
      expect((await harness.send('POST', '/api2/json/access/ticket', form(renewal))).status).to.equal(403)
      const {headers} = form(renewal)
      const answer = await harness.send('POST', '/api2/json/access/ticket', {
        body: renewal,
        headers: {...headers, authorization: undefined},
      })
      expect(answer.status).to.equal(200)
    })
  })

  describe('for another node', () => {
    const withNode = (online: boolean): Harness => {
      const harness = new Harness()
      const [local] = harness.cluster.state.nodes
      if (local) harness.cluster.state.nodes.push({...local, name: 'pve2', online})
      return harness
    }

    it('answers from that node while it is online', async () => {
      const answer = await withNode(true).send('GET', '/api2/json/nodes/pve2/qemu')
      expect([answer.status, answer.text]).to.deep.equal([200, '{"data":[]}'])
    })

    it('finds no route to one that is offline', async () => {
      const answer = await withNode(false).send('GET', '/api2/json/nodes/pve2/qemu')
      expect([answer.status, answer.reason, answer.text]).to.deep.equal([595, 'No route to host', ''])
      expect(answer.tookMs).to.equal(3000)
    })

    it('does not know a name that does not resolve', async () => {
      const answer = await new Harness().send('GET', '/api2/json/nodes/ghost/qemu')
      expect(answer.reason).to.equal(
        "hostname lookup 'ghost' failed - failed to get address info for: ghost: Name or service not known",
      )
    })

    it('takes localhost for itself', async () => {
      const answer = await new Harness().send('GET', '/api2/json/nodes/localhost/lxc/102/config')
      expect(answer.status).to.equal(200)
    })
  })

  it('gives the daemon 30 seconds and lets the work go on', async () => {
    let isDone = false
    const routes: Route[] = [
      {
        method: 'PUT',
        path: '/nodes/{node}/lxc/{vmid}/config',
        handler: async ({cluster}) => {
          await cluster.clock.sleep(45_000)
          isDone = true
        },
      },
    ]
    const harness = new Harness(routes)
    const answer = await harness.send('PUT', '/api2/json/nodes/pve/lxc/102/config?cores=1')
    expect([answer.status, answer.reason, answer.text]).to.deep.equal([596, 'Connection timed out', ''])
    expect(answer.tookMs).to.equal(30_000)
    expect(isDone).to.equal(false)
    await harness.clock.advance(20_000)
    expect(isDone).to.equal(true)
  })

  it('lets a parameter repeat the path but not contradict it', async () => {
    const harness = new Harness()
    expect((await harness.send('GET', '/api2/json/nodes/pve/lxc/102/config?vmid=102')).status).to.equal(200)
    const answer = await harness.send('GET', '/api2/json/nodes/pve/lxc/102/config?vmid=103')
    expect(JSON.parse(answer.text)).to.have.nested.property(
      'errors.vmid',
      'duplicate parameter (already defined in URI) with conflicting values!',
    )
  })

  it('passes over the cache buster of browsers', async () => {
    expect((await new Harness().send('GET', '/api2/json/version?_dc=123')).status).to.equal(200)
  })
})

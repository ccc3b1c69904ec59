import {expect} from 'chai'
import {LoopbackSandbox, impatientClock} from '../../../support/loopback-sandbox.ts'
import {RawConnection} from '../../../support/raw-https.ts'
import {Faults, parseFault} from '../../../../src/lib/sandbox/server/faults.ts'

const TOKEN = 'Authorization: PVEAPIToken=root@pam!felhom=11111111-2222-3333-4444-555555555555'
const CONFIG = '/nodes/pve/lxc/102/config'

describe('faults on demand', () => {
  let box: LoopbackSandbox
  before(async () => {
    box = await LoopbackSandbox.start({clock: impatientClock})
  })
  beforeEach(() => box.reset())
  after(() => box.close())

  const arm = async (fault: unknown): Promise<void> => {
    expect((await box.control({fault})).status).to.equal(200)
  }
  const cores = (): string | undefined => box.sandbox.cluster.guest(102)?.config['cores']
  const failureOf = async (work: Promise<unknown>): Promise<string | undefined> => {
    try {
      await work
      return undefined
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  }

  it('answer with a status before the effect, once', async () => {
    await arm({method: 'PUT', path: CONFIG, kind: 'status', status: 500})
    const answer = await box.api('PUT', CONFIG, 'cores=1')
    expect([answer.status, answer.reason]).to.deep.equal([500, 'fault injected by the sandbox'])
    expect(answer.json).to.deep.equal({data: null, message: 'fault injected by the sandbox\n'})
    expect(cores()).to.equal(undefined)
    expect((await box.api('PUT', CONFIG, 'cores=1')).status).to.equal(200)
    expect(cores()).to.equal('1')
  })

  it('answer with a status after the effect', async () => {
    await arm({method: 'PUT', path: CONFIG, kind: 'status', status: 596, when: 'after'})
    const answer = await box.api('PUT', CONFIG, 'cores=1')
    expect([answer.status, answer.text]).to.deep.equal([596, ''])
    expect(cores()).to.equal('1')
  })

  it('reset the connection before and after the effect', async () => {
    await arm({method: 'PUT', path: CONFIG, kind: 'reset'})
    expect(await failureOf(box.api('PUT', CONFIG, 'cores=1'))).to.equal('ECONNRESET')
    expect(cores()).to.equal(undefined)
    await arm({method: 'PUT', path: CONFIG, kind: 'reset', when: 'after'})
    expect(await failureOf(box.api('PUT', CONFIG, 'cores=1'))).to.equal('ECONNRESET')
    expect(cores()).to.equal('1')
  })

  it('cut the body after so many bytes', async () => {
    await arm({path: '/version', kind: 'cut', afterBytes: 5, when: 'after'})
    const connection = await RawConnection.open(box.sandbox.url, box.sandbox.caPem)
    connection.send('GET /api2/json/version HTTP/1.1', 'Host: x', TOKEN, '', '')
    await connection.closed()
    const [head = '', body] = connection.text.split('\r\n\r\n')
    expect(head).to.match(/content-length: \d{2}/i)
    expect(body).to.equal('{"dat')
  })

  it('cut an answer in half without having had an effect', async () => {
    await arm({method: 'PUT', path: CONFIG, kind: 'cut'})
    expect(await failureOf(box.api('PUT', CONFIG, 'cores=1'))).to.equal('ECONNRESET')
    expect(cores()).to.equal(undefined)
  })

  it('stall until the time is up, whether the effect happened or not', async () => {
    await arm({method: 'PUT', path: CONFIG, kind: 'stall', ms: 50})
    expect(await failureOf(box.api('PUT', CONFIG, 'cores=1'))).to.equal('ECONNRESET')
    expect(cores()).to.equal(undefined)
    await arm({method: 'PUT', path: CONFIG, kind: 'stall', ms: 50, when: 'after'})
    expect(await failureOf(box.api('PUT', CONFIG, 'cores=1'))).to.equal('ECONNRESET')
    expect(cores()).to.equal('1')
  })

  it('stall for as long as the client waits', async () => {
    await arm({path: '/version', kind: 'stall'})
    const connection = await RawConnection.open(box.sandbox.url, box.sandbox.caPem)
    connection.send('GET /api2/json/version HTTP/1.1', 'Host: x', TOKEN, '', '')
    expect((await box.api('GET', '/version')).status).to.equal(200)
    expect(connection.ended).to.equal('open')
    expect(connection.text).to.equal('')
    connection.socket.destroy()
  })

  it('delay an answer that is otherwise right', async () => {
    await arm({path: CONFIG, kind: 'delay', ms: 20, times: 2})
    expect((await box.api('PUT', CONFIG, 'cores=1')).status).to.equal(200)
    expect((await box.api('GET', CONFIG)).status).to.equal(200)
    expect(cores()).to.equal('1')
  })

  it('strike as often as they are told and then no more', async () => {
    await arm({path: '/version', kind: 'status', status: 503, times: 2})
    const seen = []
    for (let i = 0; i < 3; i++) seen.push((await box.api('GET', '/version')).status)
    expect(seen).to.deep.equal([503, 503, 200])
  })

  it('are disarmed by a control and by a reset', async () => {
    await arm({path: '/version', kind: 'status', status: 503, times: 9})
    await box.control({faults: 'clear'})
    expect((await box.api('GET', '/version')).status).to.equal(200)
    await arm({path: '/version', kind: 'status', status: 503, times: 9})
    await box.reset()
    expect((await box.api('GET', '/version')).status).to.equal(200)
  })

  const matches: [string, string, boolean][] = [
    [CONFIG, `/api2/json${CONFIG}`, true],
    [CONFIG, `/api2/extjs${CONFIG}?x=1`, true],
    [`/api2/json${CONFIG}`, `/api2/json${CONFIG}`, true],
    ['/nodes/*/lxc/*/config', `/api2/json${CONFIG}`, true],
    ['*/config', `/api2/json${CONFIG}`, true],
    ['/nodes/{node}/lxc/{vmid}/config', `/api2/json${CONFIG}`, true],
    ['/nodes/{node}/config', `/api2/json${CONFIG}`, false],
    ['/nodes/pve/lxc/10', `/api2/json${CONFIG}`, false],
    ['lxc/\\d+/config$', `/api2/json${CONFIG}`, true],
    ['^/nodes/pve[0-9]', `/api2/json${CONFIG}`, false],
    ['/nodes/pve/tasks/*', '/api2/json/nodes/pve/tasks/UPID%3Apve%3A0', true],
  ]
  for (const [path, url, expected] of matches) {
    it(`take the pattern ${path} ${expected ? '' : 'not '}to mean ${url}`, () => {
      const faults = new Faults()
      faults.add(parseFault({path, kind: 'reset'}))
      expect(faults.take('GET', url) !== undefined).to.equal(expected)
    })
  }

  it('strike only the method that they name', () => {
    const faults = new Faults()
    faults.add(parseFault({method: 'PUT', path: '*', kind: 'reset'}))
    expect(faults.take('GET', '/api2/json/version')).to.equal(undefined)
    expect(faults.take('PUT', '/api2/json/version')).not.to.equal(undefined)
  })

  const wrong: [unknown, RegExp][] = [
    ['reset', /"fault" must be a JSON object/],
    [{path: '/version'}, /"kind" must be one of status, reset, stall, cut, delay/],
    [{kind: 'explode'}, /"kind" must be one of/],
    [{kind: 'status'}, /kind status needs "status"/],
    [{kind: 'status', status: 99}, /"status" must be a number from 200/],
    [{kind: 'delay'}, /kind delay needs "ms"/],
    [{kind: 'reset', ms: 5}, /kind reset takes no "ms"/],
    [{kind: 'stall', ms: -1}, /"ms" must be a number from 0/],
    [{kind: 'cut', afterBytes: 1.5}, /"afterBytes" must be a whole number/],
    [{kind: 'reset', times: 0}, /"times" must be a number from 1/],
    [{kind: 'reset', when: 'during'}, /"when" must be one of before, after/],
    [{kind: 'reset', method: 'get'}, /"method" must be one of/],
    [{kind: 'reset', path: '(('}, /not a valid regular expression/],
    [{kind: 'reset', pfad: '/x'}, /"fault" has no field "pfad"/],
  ]
  for (const [fault, message] of wrong) {
    it(`refuse ${JSON.stringify(fault)}`, async () => {
      const answer = await box.control({fault})
      expect(answer.status).to.equal(400)
      expect((answer.json as {error: string}).error).to.match(message)
    })
  }
})

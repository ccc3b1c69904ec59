import {expect} from 'chai'
import {Api, type ApiAnswer} from '../../../src/lib/sandbox/api.ts'
import {FULL_TOKEN, InProcessSandbox} from '../../support/in-process-sandbox.ts'

describe('an answer', () => {
  const {cluster, clock} = new InProcessSandbox()
  const api = new Api(cluster)
  const get = (url: string, token: string | undefined = FULL_TOKEN): Promise<ApiAnswer> =>
    clock.run(api.handle({method: 'GET', url, headers: token ? {authorization: `PVEAPIToken=${token}`} : {}}))

  it('in HTML is a page with the status of the JSON', async () => {
    const missing = await get('/api2/html/nodes/pve/lxc/999/config')
    expect([missing.status, missing.contentType]).to.deep.equal([500, 'text/html;charset=UTF-8'])
    expect(missing.text).to.contain('Error 500: Configuration file &#39;nodes/pve/lxc/999.conf&#39;')
    expect((await get('/api2/html/version')).text).to.contain('&quot;version&quot;: &quot;9.1.10&quot;')
  })

  it('in HTML sends strangers to the login after three seconds', async () => {
    const before = clock.now()
    const answer = await get('/api2/html/version', '')
    expect([answer.status, answer.reason, answer.text]).to.deep.equal([301, 'Moved', ''])
    expect(answer.headers).to.deep.equal({Location: '/api2/html/access/ticket'})
    expect(clock.now() - before).to.equal(3000)
  })

  it('in htmljs is that of extjs, escaped', async () => {
    const answer = await get('/api2/htmljs/nope')
    expect([answer.status, answer.contentType]).to.deep.equal([200, 'text/html;charset=UTF-8'])
    expect(answer.text).to.contain('&quot;status&quot;:501,&quot;success&quot;:0')
  })

  it('in png has no room for anything', async () => {
    const answer = await get('/api2/png/nope')
    expect([answer.status, answer.contentType, answer.text]).to.deep.equal([501, 'image/png', ''])
  })

  it('for a viewer lists the fields of an object', async () => {
    const answer = await get('/api2/spiceconfig/version')
    expect(answer.text).to.match(/^\[virt-viewer\]\n(.+=.+\n)*version=9\.1\.10\n/)
  })

  it('outside of the API is a page at the root alone', async () => {
    const root = await get('/', '')
    expect([root.status, root.contentType]).to.deep.equal([200, 'text/html; charset=utf-8'])
    const other = await get('/index.html', '')
    expect([other.status, other.text]).to.deep.equal([500, "no such file '/index.html'\n"])
  })
})

import {expect} from 'chai'
import {parseUpid} from '../../../src/lib/model/upid.ts'
import {
  formEncode,
  guestPath,
  joinPath,
  nodePath,
  pathWithQuery,
  taskPath,
} from '../../../src/lib/pve/paths.ts'

describe('a path', () => {
  it('has each of its segments encoded', () => {
    expect(joinPath('access', 'a/b', 'ü?#%')).to.equal('/api2/json/access/a%2Fb/%C3%BC%3F%23%25')
    expect(guestPath({kind: 'qemu', node: 'pve1', vmid: 200}, 'status', 'current')).to.equal(
      '/api2/json/nodes/pve1/qemu/200/status/current',
    )
    const upid = parseUpid('UPID:pve1:00000001:00000002:60000000:vzstart:101:root@pam!felhom:')
    expect(taskPath(upid, 'log')).to.equal(
      '/api2/json/nodes/pve1/tasks/UPID%3Apve1%3A00000001%3A00000002%3A60000000%3Avzstart%3A101%3Aroot%40pam!felhom%3A/log',
    )
  })

  it('is not made for a node or a guest that cannot exist', () => {
    for (const node of ['', '..', 'a/b', 'a b', 'x?y']) {
      expect(() => nodePath(node, 'lxc'))
        .to.throw()
        .with.property('code', 'usage')
    }
    for (const vmid of [0, 99, 1e9, 100.5, Number.NaN]) {
      expect(() => guestPath({kind: 'lxc', node: 'pve', vmid}, 'config'))
        .to.throw()
        .with.property('code', 'usage')
    }
  })

  it('does not climb', () => {
    for (const segment of ['', '.', '..']) {
      expect(() => joinPath('nodes', segment, 'x'))
        .to.throw()
        .with.property('code', 'usage')
    }
  })

  it('takes a query without the parameters that are not set', () => {
    expect(pathWithQuery(joinPath('nodes'), {a: 1, b: undefined, c: 'x y'})).to.equal(
      '/api2/json/nodes?a=1&c=x+y',
    )
    expect(pathWithQuery(joinPath('nodes'), {})).to.equal('/api2/json/nodes')
  })

  it('separates parameters so that Proxmox reads them back as they were', () => {
    const params = {description: 'a;b&c=d+e f\n%20\u{1f600}', tags: ''}
    expect(Object.fromEntries(new URLSearchParams(formEncode(params)))).to.deep.equal(params)
    expect(formEncode(params)).to.match(/^[A-Za-z0-9%=&+._*-]*$/)
  })
})

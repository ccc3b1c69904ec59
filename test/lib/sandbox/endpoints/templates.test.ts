import {expect} from 'chai'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'

describe('templates for download', () => {
  let sandbox: InProcessSandbox
  const path = '/nodes/pve/aplinfo'

  beforeEach(() => {
    sandbox = new InProcessSandbox()
  })

  it('can be fetched once, and then a container be made of them', async () => {
    const [first] = (await sandbox.get(path)).data as {template: string}[]
    const template = first?.template ?? ''
    for (let i = 0; i < 2; i++) {
      expect(await sandbox.outcome(sandbox.post(path, {storage: 'local', template}))).to.equal('OK')
    }
    const ostemplate = `local:vztmpl/${template}`
    const {data} = await sandbox.get('/nodes/pve/storage/local/content?content=vztmpl')
    expect((data as {volid: string; format: string}[])[0]).to.include({volid: ostemplate, format: 'txz'})
    const created = sandbox.post('/nodes/pve/lxc', {vmid: 150, ostemplate, rootfs: 'local:1'})
    expect(await sandbox.outcome(created)).to.equal('OK')
    expect(sandbox.cluster.guest(150)?.config['ostype']).to.equal('alpine')
  })

  it('must be known, and the storage must hold templates', async () => {
    const unknown = await sandbox.post(path, {storage: 'local', template: 'x'})
    expect(unknown.errors).to.deep.equal({template: 'no such template'})
    const wrong = await sandbox.post(path, {
      storage: 'btr',
      template: 'debian-13-standard_13.1-2_amd64.tar.zst',
    })
    expect(wrong.reason).to.equal("storage 'btr' does not support templates")
  })
})

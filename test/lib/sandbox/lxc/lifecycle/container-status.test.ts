import {expect} from 'chai'
import {InProcessSandbox} from '../../../../support/in-process-sandbox.ts'

const GUEST = '/nodes/pve/lxc/103'

describe('the status of a container', () => {
  it('shows what was written as a reader of the file sees it', async () => {
    const sandbox = new InProcessSandbox()
    const status = async (): Promise<unknown> => (await sandbox.get(`${GUEST}/status/current`)).data
    await sandbox.put(`${GUEST}/config`, {cores: '+2', tags: '', memory: '0600', delete: 'hostname'})
    expect(await status()).to.include({cpus: '+2', tags: ' ', maxmem: 600 * 2 ** 20, name: 'CT103'})
    await sandbox.put(`${GUEST}/config`, {cores: '03'})
    expect(await status()).to.include({cpus: 3})
    await sandbox.put(`${GUEST}/config`, {cpulimit: '1.5', delete: 'cores'})
    expect(await status()).to.include({cpus: '1.5'})
  })
})

import {expect} from 'chai'
import {formatGuestId, isNodeName, isVmid} from '../../../src/lib/model/guest.ts'

describe('the name of a guest', () => {
  it('is its kind and number', () => {
    expect(formatGuestId({kind: 'lxc', vmid: 101})).to.equal('lxc/101')
  })

  it('takes the numbers that Proxmox gives', () => {
    for (const vmid of [100, 101, 999_999_999]) expect(isVmid(vmid)).to.equal(true)
    for (const vmid of [99, 0, -101, 100.5, 1e9, Number.NaN, Infinity]) expect(isVmid(vmid)).to.equal(false)
  })

  it('takes the node names that Proxmox takes', () => {
    for (const name of ['pve', 'pve-1', 'P', '1', 'a'.repeat(63)]) expect(isNodeName(name)).to.equal(true)
    for (const name of ['', '-pve', 'pve-', 'pve.1', 'pve/1', '..', 'pve\n', 'pvé', 'a'.repeat(64)]) {
      expect(isNodeName(name)).to.equal(false)
    }
  })
})

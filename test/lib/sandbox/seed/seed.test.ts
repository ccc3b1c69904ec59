import {expect} from 'chai'
import {readFileSync} from 'node:fs'
import {configDigest} from '../../../../src/lib/sandbox/guest/config-file.ts'
import {loadSeed} from '../../../../src/lib/sandbox/seed.ts'
import {generateSeed} from '../../../../src/lib/sandbox/seed-generator.ts'
import {findVolume} from '../../../../src/lib/sandbox/storage/volumes.ts'
import {Cluster} from '../../../../src/lib/sandbox/cluster.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'
import type {Guest} from '../../../../src/lib/sandbox/state.ts'

type Json = Record<string, unknown>

const recorded = JSON.parse(
  readFileSync(new URL('../../../fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8'),
) as {guests: {vmid: number; config: {digest: string}}[]}

/** The volumes that a guest's config names, by the first part of each value. */
function volids(guest: Guest): string[] {
  return Object.entries(guest.config)
    .filter(([k, v]) => /^(?:rootfs|mp\d|scsi\d|ide\d|efidisk\d|tpmstate\d)$/.test(k) && v.includes(':'))
    .map(([, v]) => v.split(',')[0] ?? '')
}

describe('seed', () => {
  const minimal = (): Json => ({
    format: 'felhom-sandbox-seed/1',
    nodes: [{name: 'n1', ip: '10.0.0.1'}],
    storages: [{storage: 'local', type: 'dir', config: {content: 'rootdir,images'}}],
    guests: [{kind: 'lxc', vmid: 100, node: 'n1', config: {rootfs: 'local:100/vm-100-disk-0.raw,size=1G'}}],
    tokens: [],
  })
  const complaint = (change: (seed: Json) => void): string => {
    const seed = minimal()
    change(seed)
    try {
      loadSeed(seed)
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
    return 'none'
  }
  const setGuest = (fields: Json) => (seed: Json) => {
    seed['guests'] = [{...(seed['guests'] as Json[])[0], ...fields}]
  }

  it('keeps every recorded guest so that its digest is the recorded one', () => {
    const state = loadSeed(recorded)
    for (const {vmid, config} of recorded.guests) {
      const guest = state.guests.get(vmid)
      expect(guest && configDigest(guest), String(vmid)).to.equal(config.digest)
    }
  })

  for (const [name, seed] of [
    ['the example homelab', homelabSeed],
    ['a generated cluster', generateSeed(300)],
  ] as const) {
    it(`has every volume that a guest of ${name} names`, () => {
      const cluster = new Cluster(loadSeed(seed))
      for (const guest of cluster.state.guests.values()) {
        for (const volid of volids(guest)) {
          expect(findVolume(cluster, volid, guest.node)?.volid, `${String(guest.vmid)}: ${volid}`).to.equal(
            volid,
          )
        }
      }
    })
  }

  it('is the same every time it is generated, and as large as asked', () => {
    expect(generateSeed(50)).to.deep.equal(generateSeed(50))
    expect(loadSeed(generateSeed(1000)).guests.size).to.equal(1000)
    expect(loadSeed(generateSeed(1000)).nodes).to.have.length(4)
  })

  it('loads when it is minimal', () => {
    expect(complaint(() => undefined)).to.equal('none')
  })

  it('says what is wrong and where', () => {
    expect(complaint((s) => delete s['format'])).to.equal(
      'seed: $.format: missing; write "felhom-sandbox-seed/1"',
    )
    expect(complaint((s) => (s['format'] = 'x'))).to.equal('seed: $.format: must be "felhom-sandbox-seed/1"')
    expect(complaint((s) => (s['gusts'] = []))).to.match(/^seed: \$\.gusts: unknown key; known are format,/)
    expect(complaint((s) => (s['guests'] = {}))).to.equal('seed: $.guests: expected a list, got an object')
    expect(complaint(setGuest({vmid: '100'}))).to.equal(
      'seed: $.guests[0].vmid: expected a number, got string',
    )
    expect(complaint(setGuest({kind: 'ct'}))).to.equal('seed: $.guests[0].kind: must be lxc or qemu')
    expect(complaint(setGuest({node: 'n9'}))).to.equal('seed: $.guests[0].node: there is no node n9')
    expect(complaint(setGuest({config: {rootfs: 'nas:vm-1-disk-0,size=1G'}}))).to.equal(
      'seed: $.guests[0].config.rootfs: there is no storage nas',
    )
    expect(complaint(setGuest({config: {rootfs: 'local:100/vm-100-disk-0.raw'}}))).to.equal(
      'seed: $.guests[0].config.rootfs: a volume needs its size=',
    )
    expect(complaint((s) => (s['pools'] = [{poolid: 'p', vmids: [7]}]))).to.contain('there is no guest 7')
    expect(complaint((s) => (s['tokens'] = [{tokenid: 'x@pve!t', secret: 's'}]))).to.contain(
      'there is no user x@pve',
    )
    expect(complaint((s) => (s['acl'] = [{path: '/', ugid: 'root@pam', roleid: 'Nope'}]))).to.contain(
      'there is no role Nope',
    )
  })

  it('refuses what is no object at all', () => {
    expect(() => loadSeed([])).to.throw('seed: $: expected an object, got a list')
    expect(() => loadSeed(null)).to.throw('seed: $: expected an object, got null')
  })
})

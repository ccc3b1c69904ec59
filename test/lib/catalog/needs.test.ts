import {expect} from 'chai'
import {findOption} from '../../../src/lib/catalog/option.ts'
import {weighChange} from '../../../src/lib/catalog/weigh-change.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'
import type {Need} from '../../../src/lib/model/plan.ts'
import {type Observer, readOptionFacts} from '../../support/recorded-option-facts.ts'

const OBSERVERS: readonly Observer[] = [
  'administratorNotRoot',
  'onlyAudit',
  'onlyVM.Config.CPU',
  'onlyVM.Config.Options',
]

/** Where the answer says nothing about privileges. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'qemu hookscript': 'the recorded script does not exist, which is found before privileges are looked at',
  'qemu intel-tdx': 'the recorded value lacks a part, which is found before privileges are looked at',
}

function needsFor(
  kind: GuestKind,
  name: string,
  before: string | undefined,
  after: string | undefined,
): Need[] {
  const option = findOption(kind, name)
  if (!option) throw new Error(`no option ${name}`)
  return weighChange(option, before, after, 'stopped', {config: {unprivileged: '1'}}).needs(101)
}

function mayDo(observer: Observer, needs: readonly Need[]): boolean {
  if (needs.some(({rootOnly}) => rootOnly)) return false
  if (observer === 'administratorNotRoot') return true
  const held = observer.slice('only'.length)
  return needs.every(({path, anyOf}) => path === '/vms/101' && anyOf.includes(held))
}

const isRefused = (answer: string): boolean => answer.startsWith('403') || answer.includes('only root')

describe('what a change needs', () => {
  it('agrees with who was allowed what by the real Proxmox, for every option', () => {
    const wrong: string[] = []
    let seen = 0
    for (const {kind, option, privilegeObserved} of readOptionFacts().options) {
      if (`${kind} ${option}` in EXCEPTIONS) continue
      for (const observed of privilegeObserved) {
        const text = String(observed.value).replace(/\/vm-(?:102|201)-/, '/vm-101-')
        const needs = needsFor(kind, option, undefined, text)
        for (const observer of OBSERVERS) {
          seen++
          const answer = observed[observer]
          if (mayDo(observer, needs) === isRefused(answer))
            wrong.push(`${kind} ${option}=${text} ${observer}: ${answer}`)
        }
      }
    }
    expect(wrong).to.deep.equal([])
    expect(seen).to.be.greaterThan(500)
  })

  it('names the storage of a new volume, and the guest whose volume is taken', () => {
    expect(needsFor('lxc', 'mp0', undefined, 'local-lvm:8,mp=/a')).to.deep.equal([
      {path: '/vms/101', anyOf: ['VM.Config.Disk']},
      {path: '/storage/local-lvm', anyOf: ['Datastore.AllocateSpace']},
    ])
    const paths = needsFor('qemu', 'scsi1', undefined, 'local:200/vm-200-disk-0.raw').map(({path}) => path)
    expect(paths).to.have.members(['/vms/101', '/storage/local', '/vms/200'])
  })

  it('names both bridges when a card moves, with the VLAN where there is one', () => {
    const needs = needsFor('lxc', 'net0', 'name=eth0,bridge=vmbr0', 'name=eth0,bridge=vmbr1,tag=7')
    expect(needs.filter(({anyOf}) => anyOf.includes('SDN.Use')).map(({path}) => path)).to.have.members([
      '/sdn/zones/localnetwork/vmbr0',
      '/sdn/zones/localnetwork/vmbr1/7',
    ])
  })

  it('asks for root alone where no token will do', () => {
    const root = [{path: '/vms/101', anyOf: [], rootOnly: true}]
    expect(needsFor('lxc', 'mp0', undefined, '/srv,mp=/srv')).to.deep.equal(root)
    expect(needsFor('lxc', 'features', 'nesting=1', 'nesting=1,keyctl=1')).to.deep.equal(root)
    expect(needsFor('qemu', 'args', undefined, '-device x')).to.deep.equal(root)
    expect(needsFor('qemu', 'serial0', '/dev/ttyS0', undefined)).to.deep.equal(root)
    expect(needsFor('qemu', 'hostpci0', undefined, 'mapping=gpu,romfile=x.rom')).to.deep.equal(root)
    expect(needsFor('lxc', 'features', 'nesting=0', 'nesting=1')).not.to.deep.include(root[0])
  })

  it('asks for root alone when the features of a privileged container change', () => {
    const option = findOption('lxc', 'features')
    if (!option) throw new Error('no features')
    const weight = weighChange(option, undefined, 'nesting=1', 'stopped', {config: {unprivileged: '0'}})
    expect(weight.needs(101)[0]?.rootOnly).to.equal(true)
  })
})

import {expect} from 'chai'
import {findOption, type Option} from '../../../src/lib/catalog/option.ts'
import {type ChangeWeight, weighChange} from '../../../src/lib/catalog/weigh-change.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'
import {type OptionFact, readOptionFacts} from '../../support/recorded-option-facts.ts'

const {facts, meta} = readOptionFacts()

function optionOf(kind: GuestKind, name: string): Option {
  const option = findOption(kind, name)
  if (!option) throw new Error(`no option ${name}`)
  return option
}

const textOf = (value: string | number | null): string | undefined =>
  value === null ? undefined : String(value)

/** The config that the recorded guest had before each value was sent. */
function seedConfig({kind, vmid}: OptionFact): Record<string, string> {
  const folder = kind === 'lxc' ? 'lxc' : 'qemu-server'
  const text = meta.seedConfigs[`${folder}/${String(vmid)}.conf`] ?? ''
  const lines = text.split('\n').flatMap((line) => /^(\w[\w-]*): (.*)$/.exec(line) ?? [])
  const config: Record<string, string> = {}
  for (let i = 0; i < lines.length; i += 3) config[lines[i + 1] ?? ''] = lines[i + 2] ?? ''
  return config
}

/** An alias is read back under the name of what it stands for. */
function writtenText(fact: OptionFact): string | undefined {
  return optionOf(fact.kind, fact.option).aliasOf === undefined ? textOf(fact.readBack) : String(fact.value)
}

function weighFact(fact: OptionFact): ChangeWeight {
  const context = {vmid: fact.vmid, config: seedConfig(fact)}
  const option = optionOf(fact.kind, fact.option)
  return weighChange(option, textOf(fact.before), writtenText(fact), fact.guestState, context)
}

/** Taking away what the fact left behind. */
function weighDelete(fact: OptionFact): ChangeWeight {
  const config = seedConfig(fact)
  for (const [name, {to}] of Object.entries(fact.alsoChanged)) config[name] = String(to)
  const option = optionOf(fact.kind, fact.option)
  return weighChange(option, writtenText(fact), undefined, fact.guestState, {vmid: fact.vmid, config})
}

const nameOf = (fact: OptionFact): string => `${fact.kind} ${fact.option}=${String(fact.value)}`

function weigh(
  kind: GuestKind,
  name: string,
  before: string | undefined,
  after: string | undefined,
  config: Record<string, string> = {},
): ChangeWeight {
  return weighChange(optionOf(kind, name), before, after, 'running', {vmid: 101, config})
}

describe('weighChange', () => {
  describe('impact', () => {
    it('is what the real Proxmox did with every recorded value on a running guest', () => {
      const seen = facts.filter(
        ({guestState, changed, effect}) =>
          guestState === 'running' && changed && (effect === 'live' || effect === 'pending'),
      )
      const wrong = seen.filter(
        (fact) => weighFact(fact).impact !== (fact.effect === 'live' ? 'live' : 'restart'),
      )
      expect(wrong.map(nameOf)).to.deep.equal([])
      expect(seen).to.have.length.greaterThan(200)
    })

    it('is what the real Proxmox did when the option was deleted again', () => {
      const seen = facts.filter(
        ({guestState, effect, readBack, afterDelete}) =>
          guestState === 'running' && effect === 'live' && readBack !== null && afterDelete?.gone === true,
      )
      const wrong = seen.filter((fact) => {
        const waits = fact.afterDelete?.pending?.['delete'] !== undefined
        return weighDelete(fact).impact !== (waits ? 'restart' : 'live')
      })
      expect(wrong.map(nameOf)).to.deep.equal([])
      expect(seen).to.have.length.greaterThan(80)
    })

    it('is none on a stopped guest', () => {
      const stopped = facts.filter(({guestState}) => guestState === 'stopped')
      for (const fact of stopped) expect(weighFact(fact).impact).to.equal('none')
    })

    it('of a network card depends on the part that changes, and on hotplug', () => {
      const net = 'virtio=BC:24:11:00:02:00,bridge=vmbr0'
      const other = 'e1000=BC:24:11:00:02:00,bridge=vmbr0'
      const noHotplug = {hotplug: 'disk,usb'}
      expect(weigh('qemu', 'net0', net, `${net},tag=7`, noHotplug).impact).to.equal('live')
      expect(weigh('qemu', 'net0', net, other).impact).to.equal('live')
      expect(weigh('qemu', 'net0', net, other).note).to.equal('the network card is replaced')
      expect(weigh('qemu', 'net0', net, other, noHotplug).impact).to.equal('restart')
      expect(weigh('qemu', 'net1', undefined, net, {hotplug: '0'}).impact).to.equal('restart')
    })

    it('of a drive depends on the part that changes, the bus, and hotplug', () => {
      const disk = 'local:101/vm-101-disk-0.qcow2,size=1G'
      expect(weigh('qemu', 'scsi0', disk, `${disk},mbps_rd=5`).impact).to.equal('live')
      expect(weigh('qemu', 'scsi0', disk, `${disk},backup=0`, {hotplug: '0'}).impact).to.equal('live')
      expect(weigh('qemu', 'scsi0', disk, `${disk},iothread=1`).impact).to.equal('restart')
      expect(weigh('qemu', 'scsi0', disk, `${disk},mbps_rd=5,cache=none`).impact).to.equal('restart')
      expect(weigh('qemu', 'scsi1', undefined, 'local:1', {hotplug: 'usb'}).impact).to.equal('restart')
      expect(weigh('qemu', 'sata1', undefined, 'local:1').impact).to.equal('restart')
      expect(weigh('qemu', 'ide2', 'none,media=cdrom', 'local:iso/a.iso,media=cdrom').impact).to.equal('live')
      expect(weigh('qemu', 'scsi0', disk, undefined, {boot: 'order=scsi0'}).impact).to.equal('restart')
    })

    it('of memory and processors depends on hotplug', () => {
      expect(weigh('qemu', 'memory', '512', '1024').impact).to.equal('restart')
      expect(weigh('qemu', 'memory', '512', '1024', {hotplug: 'memory'}).impact).to.equal('live')
      expect(weigh('qemu', 'vcpus', '1', '2', {hotplug: 'network,cpu'}).impact).to.equal('live')
      expect(weigh('qemu', 'balloon', '256', '0').impact).to.equal('restart')
      expect(weigh('qemu', 'balloon', '0', undefined).impact).to.equal('restart')
      expect(weigh('lxc', 'memory', '512', undefined).impact).to.equal('restart')
    })

    it('of a mount point or device is live when it is new, else not', () => {
      const mount = 'local:101/vm-101-disk-1.raw,mp=/a,size=1G'
      expect(weigh('lxc', 'mp0', undefined, 'local:1,mp=/a').impact).to.equal('live')
      expect(weigh('lxc', 'mp0', mount, `${mount},ro=1`).impact).to.equal('restart')
      expect(weigh('lxc', 'mp0', mount, undefined).impact).to.equal('restart')
      expect(weigh('lxc', 'dev0', '/dev/null', '/dev/null,mode=0660').impact).to.equal('restart')
    })

    it('of an interface whose number has two digits waits for a restart when it goes', () => {
      const net = 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:00,type=veth'
      expect(weigh('lxc', 'net9', net, undefined).impact).to.equal('live')
      expect(weigh('lxc', 'net10', net, undefined).impact).to.equal('restart')
    })

    it('of the agent is live when only the trimming of clones changes', () => {
      expect(weigh('qemu', 'agent', '1', '1,fstrim_cloned_disks=1').impact).to.equal('live')
      expect(weigh('qemu', 'agent', '1', '0').impact).to.equal('restart')
    })
  })

  describe('side effects', () => {
    it('are those of every recorded write and deletion', () => {
      const forget: string[] = []
      for (const fact of facts) {
        expectAll(forget, fact, weighFact(fact), Object.keys(fact.alsoChanged))
        const gone = Object.keys(fact.afterDelete?.alsoChanged ?? {})
        if (writtenText(fact) !== undefined) expectAll(forget, fact, weighDelete(fact), gone)
      }
      expect(forget).to.deep.equal([])
    })
  })

  describe('gate class', () => {
    const disk = 'local:101/vm-101-disk-0.raw,size=8G'

    it('is destructive for what detaches, replaces or destroys a volume', () => {
      expect(weigh('qemu', 'scsi0', disk, undefined).class).to.equal('destructive')
      expect(weigh('qemu', 'scsi0', disk, 'local:8').class).to.equal('destructive')
      expect(weigh('qemu', 'efidisk0', disk, undefined).class).to.equal('destructive')
      expect(weigh('lxc', 'mp0', `${disk},mp=/a`, undefined).class).to.equal('destructive')
      expect(weigh('lxc', 'rootfs', disk, 'local:101/vm-101-disk-9.raw,size=8G').class).to.equal(
        'destructive',
      )
      expect(weigh('lxc', 'unused0', 'local:101/vm-101-disk-9.raw', undefined)).to.include({
        class: 'destructive',
        reversible: false,
        note: 'data is lost',
      })
    })

    it('is destructive for the volume of another guest, of nobody, or of the host', () => {
      for (const volume of ['local:200/vm-200-disk-0.raw', 'local:stray.raw', '/dev/sdb']) {
        expect(weigh('qemu', 'scsi1', undefined, volume).class, volume).to.equal('destructive')
        expect(weigh('lxc', 'mp1', undefined, `${volume},mp=/x`).class, volume).to.equal('destructive')
      }
      expect(weigh('qemu', 'scsi1', undefined, 'local:101/vm-101-disk-3.raw').class).to.equal('benign')
      const clone = 'local:200/base-200-disk-0.qcow2/101/vm-101-disk-0.qcow2'
      expect(weigh('qemu', 'scsi1', undefined, clone).class).to.equal('benign')
      const own = weighChange(optionOf('qemu', 'scsi1'), undefined, 'local:101/vm-101-disk-3.raw', 'stopped')
      expect(own.class).to.equal('destructive')
    })

    it('is destructive for a size that is only written down', () => {
      expect(weigh('lxc', 'rootfs', disk, 'local:101/vm-101-disk-0.raw,size=9G').class).to.equal(
        'destructive',
      )
    })

    it('is destructive for taking protection away, benign for giving it', () => {
      expect(weigh('lxc', 'protection', '1', '0').class).to.equal('destructive')
      expect(weigh('lxc', 'protection', '1', undefined).class).to.equal('destructive')
      expect(weigh('lxc', 'protection', undefined, '1').class).to.equal('benign')
      expect(weigh('lxc', 'protection', '0', undefined).class).to.equal('benign')
    })

    it('is destructive for template and lock, whatever is done', () => {
      for (const [before, after] of [
        [undefined, '1'],
        ['1', '0'],
        ['1', undefined],
      ] as const) {
        expect(weigh('qemu', 'template', before, after)).to.include({class: 'destructive', reversible: false})
      }
      expect(weigh('lxc', 'lock', 'backup', undefined).class).to.equal('destructive')
    })

    it('is destructive for a value that cannot be read', () => {
      expect(weigh('qemu', 'scsi0', 'size=8G', `${disk},ssd=1`).class).to.equal('destructive')
      expect(weigh('qemu', 'net0', '=x', 'virtio,bridge=vmbr0').class).to.equal('destructive')
    })

    it('is benign for media, flags of a disk, and new disks', () => {
      expect(weigh('qemu', 'ide2', 'local:iso/a.iso,media=cdrom', undefined).class).to.equal('benign')
      expect(weigh('qemu', 'ide2', 'none,media=cdrom', 'local:iso/a.iso,media=cdrom').class).to.equal(
        'benign',
      )
      expect(weigh('qemu', 'ide2', 'local:101/vm-101-cloudinit.qcow2,media=cdrom', undefined).class).to.equal(
        'benign',
      )
      expect(weigh('qemu', 'scsi0', disk, `${disk},ssd=1`).class).to.equal('benign')
      expect(weigh('lxc', 'mp0', undefined, 'local-lvm:8,mp=/a').class).to.equal('benign')
    })
  })

  it('cannot promise to bring a password back', () => {
    expect(weigh('qemu', 'cipassword', '**********', 'new').reversible).to.equal(false)
    expect(weigh('qemu', 'ciuser', 'a', 'b').reversible).to.equal(true)
  })
})

function expectAll(
  forget: string[],
  fact: OptionFact,
  weight: ChangeWeight,
  changed: readonly string[],
): void {
  const known = new Set(weight.sideEffects ?? [])
  const target = optionOf(fact.kind, fact.option).aliasOf
  for (const name of changed) {
    const family = findOption(fact.kind, name)?.family ?? name
    if (name !== target && !known.has(name) && !known.has(family)) forget.push(`${nameOf(fact)}: ${name}`)
  }
}

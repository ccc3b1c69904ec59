import {expect} from 'chai'
import {importGuests} from '../../../../src/lib/app/import/import-guests.ts'
import {
  REDACTED,
  type ActualCluster,
  type ActualGuest,
  type PendingChange,
} from '../../../../src/lib/model/actual.ts'
import type {GuestKind} from '../../../../src/lib/model/guest.ts'
import type {Plan} from '../../../../src/lib/model/plan.ts'
import {planChanges} from '../../../../src/lib/plan/plan-changes.ts'
import {readPendingConfig} from '../../../../src/lib/pve/answers.ts'
import {createReader} from '../../../../src/lib/pve/read.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {readDesiredText} from '../../../support/read-text.ts'
import {readOptionFacts, type OptionFact} from '../../../support/recorded-option-facts.ts'
import {recordedSeed, TestSandbox} from '../../../support/test-sandbox.ts'

const planOf = (cluster: ActualCluster): Plan =>
  planChanges(readDesiredText(importGuests(cluster, []).yaml), cluster)

/** Actions and errors: what a plan of what was imported must not have. */
const trouble = (plan: Plan): unknown[] => [
  ...plan.guests.flatMap((guest) => guest.actions),
  ...[...plan.problems, ...plan.guests.flatMap((guest) => guest.problems)].filter(
    ({severity}) => severity === 'error',
  ),
]

async function readSandbox(seed: unknown): Promise<ActualCluster> {
  const sandbox = await TestSandbox.start(seed)
  try {
    return await createReader(sandbox.connect()).readCluster()
  } finally {
    await sandbox.close()
  }
}

const guestWith = (
  current: Record<string, string>,
  change: Partial<ActualGuest> = {},
  pending: PendingChange[] = [],
): ActualGuest =>
  actualGuest(101, {name: 'web-1', config: {known: true, current, pending, digest: ''}, ...change})

const clusterOf = (...guests: ActualGuest[]): ActualCluster => actualCluster({guests})

/** What stands under the guest. */
const yamlOf = (guest: ActualGuest): string => {
  const {yaml} = importGuests(clusterOf(guest), [])
  return yaml.slice(yaml.indexOf('guests:\n') + 'guests:\n'.length)
}

describe('what is imported', () => {
  for (const [name, seed] of [
    ['the recorded seed', recordedSeed()],
    ['the example homelab', homelabSeed],
  ] as const) {
    it(`makes an empty plan for ${name}, with every guest in it`, async () => {
      const cluster = await readSandbox(seed)
      const plan = planOf(cluster)
      expect(trouble(plan)).to.deep.equal([])
      expect(plan.unmanaged).to.equal(0)
      expect(importGuests(cluster, []).guests).to.have.length(cluster.guests.length)
    })
  }

  it('reads as a careful person would write it', () => {
    const guest = guestWith({
      arch: 'amd64',
      cores: '2',
      description: 'Front end of the shop.\nAsk Anna: #1\n',
      hostname: 'web-1',
      memory: '2048',
      mp0: 'local-lvm:vm-101-disk-1,mp=/data,backup=1,size=8G',
      mp1: '/srv/share,mp=/mnt/share,ro=1',
      nameserver: '10.0.0.53 10.0.0.54',
      net0: 'name=eth0,bridge=vmbr0,firewall=1,gw=10.0.0.1,hwaddr=BC:24:11:00:00:01,ip=10.0.0.2/24,type=veth',
      onboot: '1',
      rootfs: 'local-lvm:vm-101-disk-0,size=16G',
      startup: 'order=1',
      tags: 'prod;web',
      unprivileged: '1',
      unused0: 'local-lvm:vm-101-disk-2',
    })
    expect(importGuests(clusterOf(guest), []).yaml).to.equal(
      `# Written by felhom import from the cluster lab: what the guests are now.
# What is not written here is not managed. Take out what you do not want to manage; change what shall change.
felhom: 1

guests:
  101: # web-1 on pve1
    kind: lxc
    run: running
    config:
      hostname: web-1
      tags: [prod, web]
      description: |
        Front end of the shop.
        Ask Anna: #1
      cores: 2
      memory: 2GiB
      onboot: true
      startup: {order: 1}
      net0: {name: eth0, bridge: vmbr0, ip: 10.0.0.2/24, gw: 10.0.0.1, firewall: true}
      nameserver: [10.0.0.53, 10.0.0.54]
      arch: amd64
    disks:
      rootfs: {size: 16GiB}
      mp0: {mp: /data, size: 8GiB, backup: true}
      mp1: {volume: /srv/share, mp: /mnt/share, ro: true}
    # unused0 is local-lvm:vm-101-disk-2, a detached volume: felhom leaves it alone
`,
    )
    expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
  })

  it('reads as well for a virtual machine', () => {
    const guest = guestWith(
      {
        agent: '1',
        boot: 'order=scsi0;net0',
        cipassword: '**********',
        cpu: 'host',
        efidisk0: 'local-lvm:vm-101-disk-1,efitype=4m,pre-enrolled-keys=1,size=4M',
        ide2: 'local-lvm:vm-101-cloudinit,media=cdrom,size=4M',
        memory: '4096',
        meta: 'creation-qemu=10.0.2,ctime=1700000000',
        name: 'home',
        net0: 'virtio=BC:24:11:00:00:02,bridge=vmbr0,tag=20',
        sata0: 'local:iso/debian.iso,media=cdrom,size=700M',
        scsi0: 'local-lvm:vm-101-disk-0,discard=on,size=32G',
        smbios1: 'uuid=2b0f9a5c-8c7e-4a53-9e0c-0d6ad3d8ef11',
        sshkeys: 'ssh-ed25519%20AAAAC3NzaC1lZDI1NTE5AAAAIMa%20anna%0A',
        vmgenid: '0b6ad3d8-8c7e-4a53-9e0c-2b0f9a5cef11',
      },
      {kind: 'qemu', name: 'home', run: 'stopped'},
    )
    expect(yamlOf(guest)).to.equal(`  101: # home on pve1
    kind: qemu
    run: stopped
    config:
      name: home
      cpu: host
      memory: 4GiB
      net0: {model: virtio, bridge: vmbr0, tag: 20}
      agent: true
      boot: {order: [scsi0, net0]}
      sshkeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMa anna]
    disks:
      scsi0: {size: 32GiB, discard: "on"}
      sata0: {file: local:iso/debian.iso, media: cdrom}
      ide2: {file: local-lvm:cloudinit, media: cdrom}
      efidisk0: {efitype: 4m, pre-enrolled-keys: true}
    # cipassword is set; felhom does not read it
`)
    expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
  })

  it('says of a pending value that it is pending, and of one that goes that it goes', () => {
    const guest = guestWith({cores: '2', searchdomain: 'lan'}, {}, [
      {option: 'cores', kind: 'set', value: '4'},
      {option: 'searchdomain', kind: 'delete', force: false},
      {option: 'tty', kind: 'set', value: '1'},
    ])
    const yaml = yamlOf(guest)
    expect(yaml).to.contain('cores: 4 # pending: takes effect with the next start\n')
    expect(yaml).to.contain('tty: 1 # pending')
    expect(yaml).to.contain('# searchdomain is set until the next start and then gone\n')
    expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
  })

  it('does not manage the run state of a template, nor of a guest that is paused or unknown', () => {
    const configs = [{template: true, run: 'stopped'}, {run: 'paused'}, {run: 'unknown'}] as const
    for (const change of configs) expect(yamlOf(guestWith({cores: '1'}, change))).to.not.contain('run:')
    expect(yamlOf(guestWith({}, {template: true}))).to.contain('# web-1 on pve1, a template\n')
    expect(yamlOf(guestWith({}, {lock: 'backup'}))).to.contain('# web-1 on pve1, locked (backup)\n')
    expect(yamlOf(guestWith({}, {ha: {managed: true, state: 'started'}}))).to.contain(', managed by HA\n')
  })

  it('says that a config could not be read, and manages the run state alone', () => {
    const guest = guestWith({}, {config: {known: false, reason: 'the token lacks VM.Audit'}})
    expect(yamlOf(guest)).to.equal(`  101: # web-1 on pve1
    kind: lxc
    run: running
    # its config could not be read: the token lacks VM.Audit
`)
    expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
  })

  it('never holds a secret, nor what a capture has left out', () => {
    const secret = 'hunter2-canary'
    const lxc = guestWith({env: `TOKEN=${secret}`, hostname: REDACTED})
    const qemu = guestWith(
      {args: `-fw_cfg ${secret}`, cipassword: secret, sshkeys: REDACTED},
      {kind: 'qemu', vmid: 102},
      [{option: 'cipassword', kind: 'set', value: secret}],
    )
    const {yaml} = importGuests(clusterOf(lxc, qemu), [])
    expect(yaml).to.not.contain(secret).and.not.contain(REDACTED)
    for (const note of [
      '# env is set; it may hold secrets, so it is not written here',
      '# args is set; it may hold secrets, so it is not written here',
      '# cipassword is set; felhom does not read it',
      '# hostname is set; it was left out of the capture',
      '# sshkeys is set; it was left out of the capture',
    ])
      expect(yaml).to.contain(`    ${note}\n`)
  })

  it('leaves alone what it would not be allowed to write, and says so', () => {
    const guest = guestWith({hostname: 'under_score', 'lxc.cap.drop': 'sys_admin', cores: '2'})
    const yaml = yamlOf(guest)
    expect(yaml).to.contain('# hostname is set to something that felhom would not write: left alone\n')
    expect(yaml).to.contain('# lxc.cap.drop is set; felhom does not know this option\n')
    expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
  })

  it('survives names and texts that are hostile to YAML and to terminals', () => {
    const texts = [
      'no',
      '0x1',
      '1e3',
      'null',
      '~',
      '123',
      'a: b',
      'a #b',
      '  lead',
      '👩‍💻',
      '\u001b[2J',
      '- x',
      '"',
    ]
    const guests = texts.map((text, i) =>
      guestWith(
        {description: text, entrypoint: `/bin/${text.trim()}`, hostname: text, tags: text},
        {vmid: 200 + i, name: text},
      ),
    )
    const ciusers = texts.map((text, i) =>
      guestWith({ciuser: text, name: text}, {kind: 'qemu', vmid: 300 + i, name: `${text}\n202: evil`}),
    )
    const cluster = clusterOf(...guests, ...ciusers)
    expect(trouble(planOf(cluster))).to.deep.equal([])
    const state = readDesiredText(importGuests(cluster, []).yaml)
    expect(state.guests.map(({vmid}) => vmid)).to.deep.equal(cluster.guests.map(({vmid}) => vmid))
    const description = state.guests[0]?.options.get('description')?.value
    expect(description).to.deep.equal({is: 'text', text: 'no\n'})
    expect(state.guests[0]?.options.get('hostname')?.value).to.deep.equal({is: 'text', text: 'no'})
  })

  it('is for the named guests alone, by kind and number or by number', () => {
    const cluster = clusterOf(
      guestWith({}),
      guestWith({}, {kind: 'qemu', vmid: 102}),
      guestWith({}, {vmid: 103}),
    )
    expect(importGuests(cluster, ['103', 'lxc/101', '101']).guests).to.deep.equal(['lxc/101', 'lxc/103'])
    for (const wrong of ['lxc/102', '104', 'web-1', '0101'])
      expect(() => importGuests(cluster, ['101', wrong])).to.throw(`there is no guest ${wrong}`)
  })

  it('is valid without any guest', () => {
    expect(readDesiredText(importGuests(clusterOf(), []).yaml).guests).to.deep.equal([])
  })
})

const {facts} = readOptionFacts()
const NODE = 'pve'

async function readGuest(sandbox: InProcessSandbox, kind: GuestKind, vmid: number): Promise<ActualGuest> {
  const path = `/nodes/${NODE}/${kind}/${vmid}`
  const [config, status] = await Promise.all([
    sandbox.get(`${path}/pending`),
    sandbox.get(`${path}/status/current`),
  ])
  const {status: run} = status.data as {status: 'running' | 'stopped'}
  return actualGuest(vmid, {kind, node: NODE, run, config: readPendingConfig(config.data)})
}

/** Options whose values are not in the file, so that nothing of them is planned either. */
const NOT_WRITTEN = /^(?:cipassword|env|args|unused\d+|template|lock|vmgenid|unprivileged|cdrom|smp)$/

/** What says nothing, and an identity that Proxmox generates, are left out as well. */
const isLeftOut = (option: string, value: string): boolean =>
  NOT_WRITTEN.test(option) || value.trim() === '' || (option === 'smbios1' && /^uuid=[^,]*$/.test(value))

describe('what is imported, for every value that the real Proxmox took', () => {
  const groups = new Map<string, OptionFact[]>()
  for (const fact of facts.filter(({status}) => status === 200)) {
    const key = `${fact.kind} ${fact.schemaOption}`
    groups.set(key, [...(groups.get(key) ?? []), fact])
  }
  for (const [name, group] of groups) {
    it(`makes an empty plan for ${name}`, async () => {
      for (const {kind, vmid, option, value} of group) {
        const sandbox = new InProcessSandbox()
        const answer = await sandbox.put(`/nodes/${NODE}/${kind}/${vmid}/config`, {[option]: value})
        const guest = await readGuest(sandbox, kind, vmid)
        const {yaml} = importGuests(clusterOf(guest), [])
        const context = `${option}=${value} (${answer.status})\n${yaml}`
        expect(trouble(planOf(clusterOf(guest))), context).to.deep.equal([])
        const isThere = readDesiredText(yaml).guests[0]?.options.has(option)
        expect(isThere || isLeftOut(option, String(value)), context).to.equal(true)
      }
    })
  }

  for (const kind of ['lxc', 'qemu'] as const) {
    it(`makes an empty plan for a guest of ${kind} that has them all`, async () => {
      const sandbox = new InProcessSandbox()
      const vmid = kind === 'lxc' ? 102 : 201
      const refused: string[] = []
      const accepted = facts.filter((f) => f.kind === kind && f.guestState === 'stopped' && f.status === 200)
      for (const {option, value} of accepted) {
        if (String(value).trim() === '' || option === 'template' || option === 'lock') continue
        const answer = await sandbox.put(`/nodes/${NODE}/${kind}/${vmid}/config`, {[option]: value})
        if (answer.status !== 200) refused.push(`${option}=${value}: ${answer.reason}`)
      }
      const guest = await readGuest(sandbox, kind, vmid)
      // A cloud-init drive cannot be made while cicustom names a snippet that is not there.
      expect(refused.filter((text) => !text.startsWith('ide2=local:cloudinit'))).to.deep.equal([])
      expect(trouble(planOf(clusterOf(guest)))).to.deep.equal([])
      const written = readDesiredText(importGuests(clusterOf(guest), []).yaml).guests[0]?.options
      const set = guest.config.known ? Object.keys(guest.config.current) : []
      const missing = set.filter((option) => !written?.has(option) && !NOT_WRITTEN.test(option))
      expect(missing).to.deep.equal(kind === 'lxc' ? [] : ['meta'])
    })
  }
})

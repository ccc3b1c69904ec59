import {expect} from 'chai'
import type {OptionChange, Plan} from '../../../src/lib/model/plan.ts'
import {actualCluster} from '../../support/actual-cluster.ts'
import {planText} from '../../support/plan-text.ts'

const plan = (guests: string): Plan => planText(guests, actualCluster())

function created(planned: Plan): OptionChange[] {
  expect(planned.guests.flatMap((guest) => guest.problems)).to.deep.equal([])
  const action = planned.guests[0]?.actions[0]
  if (action?.type !== 'create') throw new Error(`not created but ${String(action?.type)}`)
  return [...action.options]
}

const value = (planned: Plan, option: string): string | undefined =>
  created(planned).find((change) => change.option === option)?.after

const problems = (planned: Plan): string[] =>
  planned.guests.flatMap((guest) => guest.problems.map(({code, message}) => `${code}: ${message}`))

const TEMPLATE = 'template: "local:vztmpl/debian.tar.zst"'

describe('a guest that is to be created', () => {
  const container = (disks: string, create = `${TEMPLATE}, storage: local-lvm`): Plan =>
    plan(`{105: {kind: lxc, disks: ${disks}, create: {${create}}}}`)

  it('has its disks as Proxmox takes them, in GiB on the storage that was named', () => {
    expect(value(container('{rootfs: {size: 8GiB}}'), 'rootfs')).to.equal('local-lvm:8')
    expect(value(container('{rootfs: {size: 8704M}}'), 'rootfs')).to.equal('local-lvm:8.5')
    expect(value(container('{rootfs: {size: 100MiB, mountoptions: noatime}}'), 'rootfs')).to.equal(
      'local-lvm:0.09765625,mountoptions=noatime',
    )
    const two = container('{rootfs: {size: 1GiB}, mp0: {mp: /data, size: 2GiB}}')
    expect(value(two, 'mp0')).to.equal('local-lvm:2,mp=/data')
  })

  it('is an error while a part is not written that an option cannot be without, unless it is copied', () => {
    const guest = (create: string): Plan =>
      plan(
        `{105: {kind: lxc, config: {net0: {bridge: vmbr0}}, disks: {mp0: {size: 1GiB}}, create: {${create}}}}`,
      )
    expect(problems(guest(`${TEMPLATE}, storage: local-lvm`))).to.deep.equal([
      'part_missing: lxc/105: net0 does not exist and is to be made: write its name too',
      'part_missing: lxc/105: mp0 does not exist and is to be made: write its mp too',
    ])
    expect(problems(guest('clone: 100'))).to.deep.equal([])
  })

  it('keeps a volume that was written, whatever the storage', () => {
    expect(value(container('{rootfs: "tank:16"}'), 'rootfs')).to.equal('tank:16')
    expect(value(container('{rootfs: {volume: "tank:16"}}'), 'rootfs')).to.equal('tank:16')
  })

  it('shows the root disk that Proxmox would make of its own', () => {
    expect(value(plan(`{105: {kind: lxc, create: {${TEMPLATE}, storage: local-lvm}}}`), 'rootfs')).to.equal(
      'local-lvm:4',
    )
  })

  it('is an error while nobody says where a disk goes or how large it is', () => {
    expect(problems(container('{rootfs: {size: 8GiB}}', TEMPLATE))).to.deep.equal([
      "no_volume: lxc/105: rootfs does not exist and is to be made: write on which storage ('volume: local-lvm:8')",
    ])
    expect(problems(container('{rootfs: {mountoptions: noatime}}'))).to.deep.equal([
      "no_volume: lxc/105: rootfs does not exist and is to be made: write its size, such as 'size: 8GiB'",
    ])
    expect(problems(plan(`{105: {kind: lxc, create: {${TEMPLATE}}}}`))).to.have.length(1)
  })

  it('has the disks of a machine too: firmware, cloud-init, import', () => {
    const machine = plan(
      '{205: {kind: qemu, create: {storage: tank}, disks: {scsi0: {size: 32GiB, discard: on}, efidisk0: {efitype: 4m}, ide2: "tank:cloudinit", virtio1: {import-from: "local:import/a.qcow2"}}}}',
    )
    expect(value(machine, 'scsi0')).to.equal('tank:32,discard=on')
    expect(value(machine, 'efidisk0')).to.equal('tank:1,efitype=4m')
    expect(value(machine, 'ide2')).to.match(/^tank:cloudinit/)
    expect(value(machine, 'virtio1')).to.equal('tank:0,import-from=local:import/a.qcow2')
  })

  it('grows the disks that a clone brings along, and does not make them', () => {
    const change = created(
      plan('{205: {kind: qemu, disks: {scsi0: {size: 32GiB}}, create: {clone: 9000, full: true}}}'),
    ).find(({option}) => option === 'scsi0')
    expect(change).to.deep.include({after: 'size=32G', note: 'set once it is copied'})
  })

  it('shows what only creation takes, secrets by name alone', () => {
    const planned = plan(
      `{105: {kind: lxc, create: {${TEMPLATE}, storage: local-lvm, pool: infra, unprivileged: true, password: {fromEnv: ROOT_PASSWORD}, sshkeys: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhvbWVsYWI me"}}}`,
    )
    const shown = created(planned).map(({option, after, secret}) => [option, secret ? 'secret' : after])
    expect(Object.fromEntries(shown)).to.deep.equal({
      password: 'secret',
      pool: 'infra',
      rootfs: 'local-lvm:4',
      'ssh-public-keys': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhvbWVsYWI me',
      unprivileged: '1',
    })
    expect(JSON.stringify(planned)).to.not.contain('ROOT_PASSWORD')
  })

  it('says which privileges its options need, and what only root may give it', () => {
    const planned = plan(
      `{105: {kind: lxc, config: {memory: 1GiB, hookscript: "local:snippets/h.pl"}, create: {${TEMPLATE}, storage: local-lvm}}}`,
    )
    const [action] = planned.guests[0]?.actions ?? []
    const needs = (action?.needs ?? []).map(({path, anyOf, rootOnly}) =>
      rootOnly ? 'root' : `${path} ${anyOf.join('|')}`,
    )
    expect(needs).to.include.members([
      '/vms/105 VM.Allocate',
      '/vms/105 VM.Config.Memory',
      '/storage/local-lvm Datastore.AllocateSpace',
      'root',
    ])
    expect(new Set(needs).size).to.equal(needs.length)
    expect(action?.blockers.map(({code}) => code)).to.deep.equal(['root_only'])
  })
})

// What users of other tools suffer, as tests: each was reported in public, each shows at plan time. All of it
// goes the way that felhom goes: YAML text, live state read from the sandbox, plan.
import {expect} from 'chai'
import {findOption} from '../../../src/lib/catalog/option.ts'
import type {Plan} from '../../../src/lib/model/plan.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'
import {blockersIn, changesIn, planText, problemsIn, stepsOf} from '../../support/plan-text.ts'
import {readInProcess} from '../../support/read-in-process.ts'

interface SeedGuest {
  vmid: number
  node: string
  config: Record<string, unknown>
}

/** The homelab, with something changed behind felhom's back. */
function homelab(change: (guests: Map<number, SeedGuest>) => void = () => undefined): InProcessSandbox {
  const seed = structuredClone(homelabSeed) as {guests: SeedGuest[]}
  change(new Map(seed.guests.map((guest) => [guest.vmid, guest])))
  return new InProcessSandbox(seed)
}

const plan = async (guests: string, sandbox = homelab(), token?: string): Promise<Plan> =>
  planText(guests, await readInProcess(sandbox, token))

const NOTHING = {guests: [], problems: []}
const READ_ONLY = 'ro@pve!audit=22222222-3333-4444-5555-666666666666'

/** Steps after which data could be gone, or after which it would be another guest. */
const isHarmless = ({guests}: Plan): boolean =>
  guests.every(({actions}) =>
    actions.every((a) => a.class === 'benign' && a.type !== 'destroy' && a.type !== 'create'),
  )

describe('pains of other tools', () => {
  describe('1: adding or growing a container\u2019s mount destroys the container (bpg#3028, bpg#2995)', () => {
    it('a mount that is added is one benign change', async () => {
      const planned = await plan('{101: {kind: lxc, disks: {mp0: {volume: "local-lvm:8", mp: /data}}}}')
      expect(changesIn(planned).map(({option, before, after}) => [option, before, after])).to.deep.equal([
        ['mp0', undefined, 'local-lvm:8,mp=/data'],
      ])
      expect(isHarmless(planned)).to.equal(true)
    })

    it('a mount that grows is resized, and nothing else', async () => {
      const planned = await plan('{120: {kind: lxc, disks: {mp0: {size: 200GiB}, rootfs: {size: 16GiB}}}}')
      expect(stepsOf(planned)).to.deep.equal(['resize'])
      expect(planned.guests[0]?.actions[0]).to.deep.include({disk: 'mp0', class: 'benign', impact: 'live'})
    })

    it('a mount that would have to shrink is an error, never a replacement', async () => {
      const planned = await plan('{120: {kind: lxc, disks: {mp0: {size: 50GiB}}}}')
      expect(stepsOf(planned)).to.deep.equal([])
      expect(problemsIn(planned)).to.deep.equal(['disk_shrink'])
    })

    it('a mount without a place is an error that says so', async () => {
      expect(
        problemsIn(await plan('{101: {kind: lxc, disks: {mp0: {mp: /data, size: 8GiB}}}}')),
      ).to.deep.equal(['no_volume'])
    })
  })

  const CREATE =
    'create: {template: "local:vztmpl/another.tar.zst", storage: nas, pool: other, unprivileged: false, password: {fromEnv: NOWHERE}, sshkeys: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhvbWVsYWI   me"}'

  it('2: after an import everything must be replaced (bpg#1406, bpg#1787, Telmate#738)', async () => {
    const planned = await plan(`{101: {kind: lxc, config: {memory: 512}, ${CREATE}}}`)
    expect(planned).to.deep.include({...NOTHING, unchanged: 1})
  })

  it('3: white space in ssh keys, or another pool, destroys the guest (Telmate#497, bpg#693)', async () => {
    expect(await plan(`{101: {kind: lxc, ${CREATE}}}`)).to.deep.include(NOTHING)
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEK6pCvGw5r/xhi4T81VuXOex4IlkA4/D70/NVUEAiNC me@home'
    const sandbox = homelab()
    const sent = encodeURIComponent(`${key}\n`)
    const answer = await sandbox.put('/nodes/pve2/qemu/210/config', {sshkeys: sent})
    expect(answer.status, answer.reason).to.equal(200)
    const planned = await plan(`{210: {kind: qemu, config: {sshkeys: "\\n${key}  \\n\\n"}}}`, sandbox)
    expect(stepsOf(planned)).to.deep.equal([])
  })

  it('4: the image upstream has another size, so the machine is replaced (bpg#1440)', async () => {
    const planned = await plan(
      '{200: {kind: qemu, disks: {scsi0: {import-from: "local:import/newer.qcow2", file: "nas:0"}}, create: {storage: nas}}}',
    )
    expect(stepsOf(planned)).to.deep.equal([])
  })

  describe('5: a guest that HA has moved is read as deleted (bpg#391, bpg#2081, bpg#658)', () => {
    const moved = (): InProcessSandbox =>
      homelab((guests) => Object.assign(guests.get(110) ?? {}, {node: 'pve3'}))

    it('it is found wherever it is', async () => {
      for (const node of ['', 'node: any, ', 'node: [pve1, pve3], ']) {
        const planned = await plan(`{110: {kind: lxc, ${node}config: {hostname: web}, ${CREATE}}}`, moved())
        expect(planned, node).to.deep.include({...NOTHING, unchanged: 1})
      }
    })

    it('it is not fetched back from where HA wants it', async () => {
      const planned = await plan(`{110: {kind: lxc, node: pve1, ${CREATE}}}`, moved())
      expect(stepsOf(planned)).to.deep.equal([])
      expect(problemsIn(planned)).to.deep.equal(['ha_placement'])
    })

    it('and while a node is cut off, what is not seen is not created', async () => {
      const sandbox = moved()
      const node = sandbox.cluster.state.nodes.find(({name}) => name === 'pve3')
      if (node) node.online = false
      const planned = await plan(
        `{110: {kind: lxc, node: pve1, ${CREATE}}, 111: {kind: lxc, node: pve1, ${CREATE}}}`,
        sandbox,
      )
      expect(stepsOf(planned)).to.deep.equal([])
      expect(problemsIn(planned)).to.include.members(['node_offline', 'absence_unproved'])
    })
  })

  describe('7: apply edited a guest that it never planned (Telmate#827)', () => {
    it('guests that are not written are counted and left alone', async () => {
      const planned = await plan('{101: {kind: lxc, config: {memory: 1GiB}}}')
      expect(planned.guests.map(({vmid}) => vmid)).to.deep.equal([101])
      expect(planned.unmanaged).to.equal(11)
    })

    it('a number that belongs to a guest of the other kind is an error', async () => {
      const planned = await plan(`{200: {kind: lxc, ${CREATE}}}`)
      expect(stepsOf(planned)).to.deep.equal([])
      expect(problemsIn(planned)).to.deep.equal(['kind_mismatch'])
    })

    it('an empty desired state prunes nothing', async () => {
      expect(await plan('{}')).to.deep.include({...NOTHING, unmanaged: 12})
    })
  })

  it('8: the order or case of tags, a newline in a description: perpetual drift (bpg#321, Telmate#951, Telmate#771)', async () => {
    const sandbox = homelab()
    await sandbox.put('/nodes/pve1/lxc/101/config', {tags: 'Web,dns;infra web', description: 'one\ntwo\n\n'})
    const written = [
      'tags: [infra, dns, web]',
      'tags: "web;infra;dns"',
      'tags: "WEB dns,infra"',
      'description: "one\\ntwo"',
      'description: "one\\ntwo\\n"',
    ]
    for (const option of written) {
      expect(await plan(`{101: {kind: lxc, config: {${option}}}}`, sandbox), option).to.deep.include(NOTHING)
    }
  })

  it('9: defaults and fields that nobody set always change (Telmate#1311, Telmate#1164, bpg#1224)', async () => {
    const planned = await plan(
      '{101: {kind: lxc, config: {net0: {name: eth0, bridge: vmbr0}, tty: 2, console: true, cmode: tty, protection: false, nameserver: null}}, 200: {kind: qemu, config: {net0: {bridge: vmbr0}, numa: false, bios: seabios, acpi: true}}}',
    )
    expect(planned).to.deep.include({...NOTHING, unchanged: 2})
  })

  it('18: protection is on: the guest is shut down, then the destruction fails (Telmate#1043, Telmate#1377)', async () => {
    const planned = await plan('{120: {kind: lxc, ensure: absent}}')
    expect(stepsOf(planned)).to.deep.equal(['shutdown', 'destroy'])
    for (const action of planned.guests[0]?.actions ?? []) {
      expect(
        action.blockers.map(({code}) => code),
        action.type,
      ).to.include('protected')
    }
  })

  describe('19: a tag edit reboots the machine, or a needed reboot never comes (Telmate#1270, bpg#2516)', () => {
    it('a tag is live, even where a restart would be allowed', async () => {
      const planned = await plan(
        '{200: {kind: qemu, restart: allowed, run: running, config: {tags: [home, new]}}}',
      )
      expect(stepsOf(planned)).to.deep.equal(['set-config'])
      expect(changesIn(planned)[0]).to.deep.include({option: 'tags', impact: 'live'})
    })

    it('a change that needs a restart says so, and restarts only if that is allowed', async () => {
      const wish = (restart: string): string =>
        `{200: {kind: qemu, restart: ${restart}, run: running, config: {cores: 4}}}`
      const never = await plan(wish('never'))
      expect(stepsOf(never)).to.deep.equal(['set-config'])
      expect(changesIn(never)[0]).to.deep.include({option: 'cores', impact: 'restart'})
      expect(stepsOf(await plan(wish('allowed')))).to.deep.equal(['set-config', 'restart'])
    })

    it('and what was written without its restart is not forgotten', async () => {
      const sandbox = homelab()
      await sandbox.put('/nodes/pve1/qemu/200/config', {cores: 4})
      const wish = (restart: string): string => `{200: {kind: qemu, restart: ${restart}, config: {cores: 4}}}`
      const never = await plan(wish('never'), sandbox)
      expect([stepsOf(never), problemsIn(never)]).to.deep.equal([[], ['restart_pending']])
      expect(stepsOf(await plan(wish('allowed'), sandbox))).to.deep.equal(['restart'])
    })
  })

  it('20: an option of a disk that was pending took back a resize (bpg#2563)', async () => {
    const sandbox = homelab()
    const pending = 'nas:200/vm-200-disk-0.qcow2,discard=on,iothread=1,size=32G'
    expect((await sandbox.put('/nodes/pve1/qemu/200/config', {scsi0: pending})).status).to.equal(200)
    const wish = (restart: string): string =>
      `{200: {kind: qemu, restart: ${restart}, disks: {scsi0: {iothread: true, size: 64GiB}}}}`
    // The pending value is neither written again, with its old size in it, nor lost; the disk grows behind it.
    expect(stepsOf(await plan(wish('allowed'), sandbox))).to.deep.equal(['restart', 'resize'])
    const never = await plan(wish('never'), sandbox)
    expect([stepsOf(never), problemsIn(never)]).to.deep.equal([[], ['restart_pending', 'restart_pending']])
    const both = await plan(wish('allowed'))
    expect(stepsOf(both)).to.deep.equal(['set-config', 'restart', 'resize'])
    expect(changesIn(both)[0]?.after).to.contain('size=32G')
    const unprotected = (): InProcessSandbox =>
      homelab((guests) => delete guests.get(120)?.config['protection'])
    // Where that restart is blocked, the disk does not grow without it: it would be the wrong volume that grows.
    const blocked = await plan(
      '{120: {kind: lxc, restart: allowed, disks: {rootfs: "local-lvm:vm-999-disk-0", mp0: {mp: /b, size: 200GiB}}}}',
      unprotected(),
    )
    expect(stepsOf(blocked)).to.deep.equal(['set-config', 'set-config', 'restart', 'resize'])
    expect(blocked.guests[0]?.actions.map(({blockers}) => blockers.length > 0)).to.deep.equal([
      ...[false, true, true, true],
    ])
    // A machine that stops takes in what waits; a container does so only when it starts.
    const stopped = '{200: {kind: qemu, run: stopped, disks: {scsi0: {iothread: true, size: 64GiB}}}}'
    expect(stepsOf(await plan(stopped))).to.deep.equal(['set-config', 'shutdown', 'resize'])
    const container = '{120: {kind: lxc, run: stopped, disks: {mp0: {mp: /elsewhere, size: 200GiB}}}}'
    const halted = await plan(container, unprotected())
    expect([stepsOf(halted), problemsIn(halted)]).to.deep.equal([
      ['set-config', 'shutdown'],
      ['restart_pending'],
    ])
  })

  describe('22: only allowed for root@pam, in the midst of an apply (bpg#609, bpg#2458)', () => {
    it('is known at plan time, and holds up nothing else', async () => {
      const planned = await plan(
        '{101: {kind: lxc, config: {hookscript: "local:snippets/hook.pl", memory: 1GiB}, disks: {mp0: {volume: /srv/data, mp: /data}}}}',
      )
      const steps = planned.guests[0]?.actions.map((a) => [
        a.type === 'set-config' ? a.changes.map(({option}) => option).join(' ') : a.type,
        a.blockers[0]?.code,
      ])
      expect(steps).to.deep.equal([
        ['memory', undefined],
        ['hookscript', 'root_only'],
        ['mp0', 'root_only'],
      ])
    })

    it('and so is any other privilege that the token lacks', async () => {
      const planned = await plan('{101: {kind: lxc, config: {memory: 1GiB}}}', homelab(), READ_ONLY)
      expect(blockersIn(planned)).to.deep.equal(['privilege_missing'])
    })
  })

  describe('24: no dry run, and everything is always changed (community.proxmox#466, community.proxmox#24)', () => {
    const WISH =
      '{101: {kind: lxc, config: {memory: 1GiB, tags: [b, a], description: "text", net0: {name: eth0, bridge: vmbr1}, startup: {order: 3}}}}'

    it('planning changes nothing', async () => {
      const sandbox = homelab()
      const before = await readInProcess(sandbox)
      expect(stepsOf(planText(WISH, before))).to.deep.equal(['set-config'])
      expect(await readInProcess(sandbox)).to.deep.equal(before)
    })

    it('the plan is empty once what it says is done', async () => {
      const sandbox = homelab()
      const sent = changesIn(await plan(WISH, sandbox)).map(({option, after}) => [option, after ?? ''])
      expect(sent).to.have.length(5)
      for (const [option] of sent) expect(findOption('lxc', option ?? '')).to.not.equal(undefined)
      const answer = await sandbox.put(
        '/nodes/pve1/lxc/101/config',
        Object.fromEntries(sent) as Record<string, string>,
      )
      expect(answer.status, answer.reason).to.equal(200)
      expect(await plan(WISH, sandbox)).to.deep.include({...NOTHING, unchanged: 1})
    })
  })
})

import {expect} from 'chai'
import fc from 'fast-check'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {GuestPlan, Plan, PlannedAction} from '../../../src/lib/model/plan.ts'
import {planChanges} from '../../../src/lib/plan/plan-changes.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {desiredGuest, desiredState} from '../../support/desired-guest.ts'

const DIGEST = 'a'.repeat(40)

const withConfig = (
  vmid: number,
  current: Record<string, string>,
  change: Partial<ActualGuest> = {},
): ActualGuest => actualGuest(vmid, {config: {known: true, current, pending: [], digest: DIGEST}, ...change})

const types = (plan: Plan): string[] => plan.guests.flatMap((guest) => guest.actions.map((a) => a.type))
const codes = (plan: Plan): string[] =>
  [...plan.problems, ...plan.guests.flatMap((g) => g.problems)].map((p) => p.code)

function only(plan: Plan): GuestPlan {
  expect(plan.guests).to.have.length(1)
  return plan.guests[0] as GuestPlan
}

function changesOf(
  guest: GuestPlan,
): {option: string; before: string | undefined; after: string | undefined}[] {
  return guest.actions.flatMap((a) =>
    a.type === 'set-config' ? a.changes.map(({option, before, after}) => ({option, before, after})) : [],
  )
}

const changesByWrite = ({actions}: GuestPlan): unknown[] =>
  actions.map((a) =>
    a.type === 'set-config' ? a.changes.map(({option, before, after}) => [option, before, after]) : a.type,
  )

const find = (guest: GuestPlan, type: PlannedAction['type']): PlannedAction => {
  const action = guest.actions.find((a) => a.type === type)
  if (!action) throw new Error(`no ${type} among ${guest.actions.map((a) => a.type).join(', ')}`)
  return action
}

const blockers = (guest: GuestPlan): string[] => guest.actions.flatMap((a) => a.blockers.map((b) => b.code))

describe('the planner', () => {
  it('plans nothing for guests that are as desired, and nothing for an empty desired state', () => {
    const live = actualCluster({guests: [withConfig(101, {memory: '512', hostname: 'web'})]})
    const plan = planChanges(desiredState(desiredGuest(101, {memory: '512', hostname: 'web'})), live)
    expect(plan).to.deep.equal({guests: [], unmanaged: 0, unchanged: 1, problems: []})
    expect(planChanges(desiredState(), live)).to.deep.equal({
      guests: [],
      unmanaged: 1,
      unchanged: 0,
      problems: [],
    })
  })

  it('writes by itself what Proxmox rewrites as a consequence of another change', () => {
    const machine = withConfig(
      201,
      {boot: 'order=scsi0', scsi0: 'local:201/vm-201-disk-0.qcow2,size=1G'},
      {kind: 'qemu'},
    )
    const wish = {ide2: 'none,media=cdrom', boot: 'order=scsi0', cores: '2', name: 'vm'}
    const writes = (written: Record<string, string>): string[][] =>
      only(
        planChanges(
          desiredState(desiredGuest(201, written, {kind: 'qemu'})),
          actualCluster({guests: [machine]}),
        ),
      ).actions.map((a) => (a.type === 'set-config' ? a.changes.map(({option}) => option) : []))
    expect(writes({...wish, boot: 'order=ide2'})).to.deep.equal([['cores', 'ide2', 'name'], ['boot']])
    expect(writes(wish)).to.deep.equal([['cores', 'ide2', 'name'], ['boot']])
    expect(writes({cores: '2', boot: 'order=scsi0'})).to.deep.equal([['cores']])
    // A boot order makes Proxmox forget the older way to name the disk.
    expect(writes({...wish, boot: 'order=ide2', bootdisk: 'scsi0'})).to.deep.equal([
      ['cores', 'ide2', 'name'],
      ['boot'],
      ['bootdisk'],
    ])
  })

  it('takes back what waits before it removes an option of a container, or it would come back', () => {
    const plan = (current: Record<string, string>): unknown[] => {
      const waiting = {option: 'features', kind: 'set', value: 'nesting=on'} as const
      const live = actualGuest(101, {
        config: {known: true, current: {unprivileged: '1', ...current}, pending: [waiting], digest: DIGEST},
      })
      const desired = desiredState(desiredGuest(101, {features: null, tags: 'a'}))
      return changesByWrite(only(planChanges(desired, actualCluster({guests: [live]}))))
    }
    expect(plan({features: 'nesting=1'})).to.deep.equal([
      [
        ['features', 'nesting=on', 'nesting=1'],
        ['tags', undefined, 'a'],
      ],
      [['features', 'nesting=1', undefined]],
    ])
  })

  it('takes a volume for lost that waits to be replaced, as the gate does', () => {
    const waiting = {
      option: 'mp0',
      kind: 'set',
      value: 'local:101/vm-101-disk-2.raw,mp=/a,ro=1,size=1G',
    } as const
    const current = {mp0: 'local:101/vm-101-disk-1.raw,mp=/a,size=1G'}
    const live = actualGuest(101, {config: {known: true, current, pending: [waiting], digest: DIGEST}})
    const desired = desiredState(desiredGuest(101, {mp0: {ro: '0'}}))
    expect(blockers(only(planChanges(desired, actualCluster({guests: [live]}))))).to.deep.equal([
      'cannot_be_signed',
    ])
  })

  it('restarts for what can be changed live, where it is not there yet and only waits', () => {
    const waiting = {option: 'ide2', kind: 'set', value: 'cdrom,media=cdrom'} as const
    const plan = (current: Record<string, string>): string[] =>
      types(
        planChanges(
          desiredState(desiredGuest(201, {ide2: {file: 'none'}}, {kind: 'qemu', restart: 'allowed'})),
          actualCluster({
            guests: [
              actualGuest(201, {
                kind: 'qemu',
                config: {known: true, current, pending: 'ide2' in current ? [] : [waiting], digest: DIGEST},
              }),
            ],
          }),
        ),
      )
    expect(plan({})).to.deep.equal(['set-config', 'restart'])
    expect(plan({ide2: 'cdrom,media=cdrom'})).to.deep.equal(['set-config'])
  })

  it('restarts for no value that waits and is what the guest has already', () => {
    const waiting = {option: 'debug', kind: 'set', value: '0'} as const
    const live = actualGuest(101, {config: {known: true, current: {}, pending: [waiting], digest: DIGEST}})
    const desired = desiredState(desiredGuest(101, {debug: '0'}, {restart: 'allowed'}))
    expect(planChanges(desired, actualCluster({guests: [live]})).guests).to.deep.equal([])
  })

  it('is an error where a part is not written that a new option cannot be without', () => {
    const live = actualCluster({guests: [withConfig(101, {net0: 'name=eth0,bridge=vmbr0'})]})
    const plan = planChanges(
      desiredState(desiredGuest(101, {net0: {tag: '7'}, net1: {bridge: 'vmbr1'}})),
      live,
    )
    expect(only(plan).problems.map(({code, message}) => `${code}: ${message}`)).to.deep.equal([
      'part_missing: lxc/101: net1 does not exist and is to be made: write its name too',
    ])
    expect(changesOf(only(plan)).map(({option}) => option)).to.deep.equal(['net0'])
  })

  it('holds up nothing but the disks of a container that is protected', () => {
    const container = {protection: '1', mp0: 'local:101/vm-101-disk-1.raw,mp=/a,size=1G'}
    const wish = {cores: '2', mp0: {backup: '1'}, mp1: 'local:1,mp=/b'}
    const plan = (
      kind: 'lxc' | 'qemu',
      live: Record<string, string>,
      options: typeof wish | object,
    ): GuestPlan =>
      only(
        planChanges(
          desiredState(desiredGuest(101, options as typeof wish, {kind})),
          actualCluster({guests: [withConfig(101, live, {kind})]}),
        ),
      )
    const steps = ({actions}: GuestPlan): unknown[] =>
      actions.map((a) => [
        a.type === 'set-config' && a.changes.map(({option}) => option),
        a.blockers.map(({code}) => code),
      ])
    expect(steps(plan('lxc', container, wish))).to.deep.equal([
      [['cores'], []],
      [['mp0'], ['protected']],
      [['mp1'], ['protected']],
    ])
    expect(steps(plan('qemu', {protection: '1'}, {scsi1: 'local:1'}))).to.deep.equal([[['scsi1'], []]])
  })

  it('changes only the options that were written', () => {
    const live = actualCluster({guests: [withConfig(101, {memory: '512', cores: '2', tags: 'a', swap: '0'})]})
    const guest = only(planChanges(desiredState(desiredGuest(101, {memory: '1024', cores: '2'})), live))
    expect(changesOf(guest)).to.deep.equal([{option: 'memory', before: '512', after: '1024'}])
    expect(guest).to.deep.include({unchangedOptions: 1, liveDigest: DIGEST, exists: true})
  })

  it('removes an option that is null, and is content when it is not set', () => {
    const desired = desiredState(desiredGuest(101, {nameserver: null}))
    const set = actualCluster({guests: [withConfig(101, {nameserver: '10.0.0.1'})]})
    expect(changesOf(only(planChanges(desired, set)))).to.deep.equal([
      {option: 'nameserver', before: '10.0.0.1', after: undefined},
    ])
    expect(planChanges(desired, actualCluster({guests: [withConfig(101, {})]})).guests).to.deep.equal([])
  })

  it('leaves guests alone that are not in the desired state, and counts them', () => {
    const live = actualCluster({guests: [withConfig(101, {}), withConfig(102, {}), withConfig(103, {})]})
    const plan = planChanges(desiredState(desiredGuest(102)), live)
    expect(plan).to.deep.include({unmanaged: 2, unchanged: 1, guests: []})
  })

  it('does not call a guest unmanaged because it is not a target', () => {
    const live = actualCluster({guests: [withConfig(101, {}), withConfig(102, {}), withConfig(103, {})]})
    const plan = planChanges(desiredState(desiredGuest(102)), live, {managed: new Set([101, 102])})
    expect(plan.unmanaged).to.equal(1)
  })

  it('orders guests by number and config before run state', () => {
    const live = actualCluster({
      guests: [
        withConfig(103, {memory: '512'}, {run: 'stopped'}),
        withConfig(101, {memory: '512'}, {run: 'stopped'}),
      ],
    })
    const wants = (vmid: number): ReturnType<typeof desiredGuest> =>
      desiredGuest(vmid, {memory: '1024'}, {run: 'running'})
    const plan = planChanges(desiredState(wants(103), wants(101)), live)
    expect(plan.guests.map((g) => g.vmid)).to.deep.equal([101, 103])
    expect(types(plan)).to.deep.equal(['set-config', 'start', 'set-config', 'start'])
  })

  it('refuses to treat a guest of the other kind as the one that is desired', () => {
    const live = actualCluster({guests: [withConfig(101, {}, {kind: 'qemu'})]})
    const plan = planChanges(desiredState(desiredGuest(101, {memory: '512'})), live)
    expect(types(plan)).to.deep.equal([])
    expect(codes(plan)).to.deep.equal(['kind_mismatch'])
  })

  it('compares by run state alone when the config is unknown, and says so', () => {
    const unreadable = actualGuest(101, {config: {known: false, reason: '403'}, run: 'stopped'})
    const plan = planChanges(
      desiredState(desiredGuest(101, {memory: '512'}, {run: 'running'})),
      actualCluster({guests: [unreadable]}),
    )
    expect(types(plan)).to.deep.equal(['start'])
    expect(codes(plan)).to.deep.equal(['config_unknown'])
  })

  describe('run state', () => {
    const plan = (run: ActualGuest['run'], desired: 'running' | 'stopped' | undefined, more = {}): Plan =>
      planChanges(
        desiredState(desiredGuest(101, {}, {...(desired && {run: desired}), ...more})),
        actualCluster({guests: [withConfig(101, {}, {run})]}),
      )

    it('is left alone unless it was written', () => {
      expect(types(plan('stopped', undefined))).to.deep.equal([])
    })

    it('starts and shuts down, with the time-out and the hard stop as written', () => {
      expect(types(plan('stopped', 'running'))).to.deep.equal(['start'])
      const guest = only(plan('running', 'stopped', {stop: {timeoutMs: 5000, force: true}}))
      expect(find(guest, 'shutdown')).to.deep.include({
        timeoutMs: 5000,
        force: true,
        impact: 'outage',
        class: 'benign',
      })
    })

    it('does not touch a paused guest that shall run, nor one whose state is unknown', () => {
      expect(codes(plan('paused', 'running'))).to.deep.equal(['paused'])
      expect(codes(plan('unknown', 'running'))).to.deep.equal(['run_unknown'])
      expect(types(plan('paused', 'stopped'))).to.deep.equal(['shutdown'])
    })

    it('does not start a template', () => {
      const live = actualCluster({guests: [withConfig(101, {}, {run: 'stopped', template: true})]})
      expect(
        blockers(only(planChanges(desiredState(desiredGuest(101, {}, {run: 'running'})), live))),
      ).to.deep.equal(['template'])
    })
  })

  describe('restarts', () => {
    const live = actualCluster({guests: [withConfig(101, {tty: '2'})]})

    it('are planned only where they are allowed, and say for which options', () => {
      const never = only(planChanges(desiredState(desiredGuest(101, {tty: '3'})), live))
      expect(never.actions.map((a) => a.type)).to.deep.equal(['set-config'])
      expect(never.actions[0]?.impact).to.equal('restart')
      const allowed = only(
        planChanges(desiredState(desiredGuest(101, {tty: '3'}, {restart: 'allowed'})), live),
      )
      expect(allowed.actions.map((a) => a.type)).to.deep.equal(['set-config', 'restart'])
      expect(find(allowed, 'restart').why).to.contain('tty')
    })

    it('are not planned for a guest that is stopped or will be', () => {
      const stopped = actualCluster({guests: [withConfig(101, {tty: '2'}, {run: 'stopped'})]})
      expect(
        types(planChanges(desiredState(desiredGuest(101, {tty: '3'}, {restart: 'allowed'})), stopped)),
      ).to.deep.equal(['set-config'])
      expect(
        types(
          planChanges(
            desiredState(desiredGuest(101, {tty: '3'}, {restart: 'allowed', run: 'stopped'})),
            live,
          ),
        ),
      ).to.deep.equal(['set-config', 'shutdown'])
    })

    it('settle a value that is pending already, without writing it again', () => {
      const pending = actualGuest(101, {
        config: {
          known: true,
          current: {tty: '2'},
          pending: [{option: 'tty', kind: 'set', value: '3'}],
          digest: DIGEST,
        },
      })
      const cluster = actualCluster({guests: [pending]})
      const never = planChanges(desiredState(desiredGuest(101, {tty: '3'})), cluster)
      expect(types(never)).to.deep.equal([])
      expect(codes(never)).to.deep.equal(['restart_pending'])
      expect(
        types(planChanges(desiredState(desiredGuest(101, {tty: '3'}, {restart: 'allowed'})), cluster)),
      ).to.deep.equal(['restart'])
    })

    it('see that somebody else has a removal pending', () => {
      const pending = actualGuest(101, {
        config: {
          known: true,
          current: {nameserver: '10.0.0.1'},
          pending: [{option: 'nameserver', kind: 'delete', force: false}],
          digest: DIGEST,
        },
      })
      const plan = planChanges(
        desiredState(desiredGuest(101, {nameserver: '10.0.0.1'})),
        actualCluster({guests: [pending]}),
      )
      expect(changesOf(only(plan))).to.deep.equal([
        {option: 'nameserver', before: undefined, after: '10.0.0.1'},
      ])
    })

    it('are not needed to go back to the value that the guest still runs with', () => {
      const pending = actualGuest(101, {
        config: {
          known: true,
          current: {tty: '2'},
          pending: [{option: 'tty', kind: 'set', value: '3'}],
          digest: DIGEST,
        },
      })
      const wish = desiredState(desiredGuest(101, {tty: '2'}, {restart: 'allowed'}))
      const plan = planChanges(wish, actualCluster({guests: [pending]}))
      expect(types(plan)).to.deep.equal(['set-config'])
      expect(only(plan).actions[0]?.impact).to.equal('live')
    })
  })

  describe('disks', () => {
    const live = actualCluster({
      guests: [withConfig(101, {rootfs: 'local-lvm:vm-101-disk-0,mountoptions=noatime,size=8G'})],
    })
    const plan = (rootfs: string | Record<string, string | null>): Plan =>
      planChanges(desiredState(desiredGuest(101, {rootfs})), live)

    it('grow by a resize that cannot be undone, and keep everything else', () => {
      const guest = only(plan({size: '16G'}))
      expect(guest.actions).to.have.length(1)
      expect(find(guest, 'resize')).to.deep.include({
        disk: 'rootfs',
        fromBytes: 8 * 2 ** 30,
        toBytes: 16 * 2 ** 30,
        reversible: false,
        class: 'benign',
      })
    })

    it('never shrink: a smaller size is an error', () => {
      expect(types(plan({size: '4G'}))).to.deep.equal([])
      expect(codes(plan({size: '4G'}))).to.deep.equal(['disk_shrink'])
    })

    it('are content with the size they have, in whatever unit', () => {
      expect(plan({size: '8192M'}).guests).to.deep.equal([])
      expect(plan('local-lvm:vm-101-disk-0,mountoptions=noatime,size=8G').guests).to.deep.equal([])
    })

    it('grow too when the value is written as a string', () => {
      expect(types(plan('local-lvm:vm-101-disk-0,mountoptions=noatime,size=9G'))).to.deep.equal(['resize'])
    })

    it('grow when a new volume of another size is written, and ignore a size beside it', () => {
      expect(types(plan('local-lvm:16,mountoptions=noatime'))).to.deep.equal(['resize'])
      expect(plan('local-lvm:8,mountoptions=noatime,size=99G').guests).to.deep.equal([])
    })

    it('that are taken away are destructive, and hold up nothing else', () => {
      const two = actualCluster({
        guests: [withConfig(101, {mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G', memory: '512'})],
      })
      const guest = only(planChanges(desiredState(desiredGuest(101, {mp0: null, memory: '1024'})), two))
      expect(guest.actions.map((a) => a.class)).to.deep.equal(['benign', 'destructive'])
      expect(guest.actions.map((a) => a.blockers.map((b) => b.code))).to.deep.equal([[], ['needs_signature']])
    })
  })

  it('says of a volume that would be replaced that nobody can allow it, before anybody signs', () => {
    const live = withConfig(101, {mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G'})
    const desired = desiredState(desiredGuest(101, {mp0: {volume: 'local-lvm:vm-102-disk-0'}}))
    const [action] = only(planChanges(desired, actualCluster({guests: [live]}))).actions
    expect(action?.blockers.map((b) => `${b.code}: ${b.message}`)).to.deep.equal([
      'cannot_be_signed: changing mp0 in this way can lose data, and no signature can allow it: do it in Proxmox, then write what is there',
    ])
  })

  describe('a guest that does not exist', () => {
    const create = {
      from: {template: 'local:vztmpl/debian.tar.zst'},
      storage: 'local-lvm',
      place: {file: 'g', line: 3, column: 1},
    } as const

    it('is created and started where the files say how', () => {
      const desired = desiredGuest(105, {hostname: 'new', memory: '512'}, {create, run: 'running'})
      const guest = only(planChanges(desiredState(desired), actualCluster()))
      expect(guest).to.deep.include({exists: false, node: 'pve1', name: 'new'})
      expect(guest.actions.map((a) => a.type)).to.deep.equal(['create', 'start'])
    })

    it('is an error without a create block', () => {
      const plan = planChanges(desiredState(desiredGuest(105)), actualCluster())
      expect(types(plan)).to.deep.equal([])
      expect(codes(plan)).to.deep.equal(['no_create'])
    })

    it('is not created when the list is not complete: it may exist', () => {
      const blind = actualCluster({
        completeness: {complete: false, reasons: [{code: 'list_filtered', message: 'no VM.Audit'}]},
      })
      const plan = planChanges(desiredState(desiredGuest(105, {}, {create})), blind)
      expect(types(plan)).to.deep.equal([])
      expect(codes(plan)).to.deep.equal(['list_filtered', 'absence_unproved'])
    })

    it('needs a node that is named, known and online when there are several', () => {
      const nodes = [
        {name: 'pve1', online: true, listed: true},
        {name: 'pve2', online: false, listed: false},
      ]
      const cluster = actualCluster({nodes})
      const at = (...names: string[]): string[] =>
        codes(
          planChanges(
            desiredState(desiredGuest(105, {}, {create, ...(names.length > 0 && {nodes: names})})),
            cluster,
          ),
        )
      expect(at()).to.deep.equal(['no_node'])
      expect(at('pve9')).to.deep.equal(['unknown_node'])
      expect(at('pve2')).to.deep.equal(['node_offline'])
      expect(at('pve2', 'pve1')).to.deep.equal([])
    })

    it('is as desired when it shall be absent', () => {
      expect(
        planChanges(desiredState(desiredGuest(105, {}, {ensure: 'absent'})), actualCluster()),
      ).to.deep.include({guests: [], unchanged: 1})
    })
  })

  describe('a guest that shall be absent', () => {
    const desired = desiredState(desiredGuest(101, {}, {ensure: 'absent'}))

    it('is shut down and destroyed, with every volume named, and only with a signature', () => {
      const live = withConfig(101, {
        rootfs: 'l:vm-101-disk-0,size=8G',
        mp0: 'l:vm-101-disk-1,mp=/d,size=1G',
        unused0: 'l:vm-101-disk-2',
        memory: '512',
      })
      const guest = only(planChanges(desired, actualCluster({guests: [live]})))
      expect(guest.actions.map((a) => a.type)).to.deep.equal(['shutdown', 'destroy'])
      const destroy = find(guest, 'destroy')
      expect(destroy).to.deep.include({class: 'destructive', reversible: false})
      expect(destroy.type === 'destroy' && destroy.volumes.map((v) => v.option)).to.deep.equal([
        'mp0',
        'rootfs',
        'unused0',
      ])
      expect(destroy.blockers.map((b) => b.code)).to.deep.equal(['needs_signature'])
    })

    it('says at plan time that protection or HA stand in the way', () => {
      const live = withConfig(101, {protection: '1'}, {run: 'stopped', ha: {managed: true, state: 'started'}})
      expect(blockers(only(planChanges(desired, actualCluster({guests: [live]}))))).to.deep.equal([
        'protected',
        'ha_managed',
        'needs_signature',
      ])
    })
  })

  describe('what stands in the way', () => {
    const desired = desiredState(desiredGuest(101, {memory: '1024'}))
    const live = (change: Partial<ActualGuest> = {}): ActualGuest => withConfig(101, {memory: '512'}, change)

    it('is a lock, whatever the desired state says', () => {
      expect(
        blockers(only(planChanges(desired, actualCluster({guests: [live({lock: 'backup'})]})))),
      ).to.deep.equal(['locked'])
    })

    it('is a lost quorum', () => {
      const plan = planChanges(desired, actualCluster({guests: [live()], quorum: 'lost'}))
      expect(blockers(only(plan))).to.deep.equal(['no_quorum'])
      expect(codes(plan)).to.deep.equal(['no_quorum'])
    })

    it('is a privilege that the token lacks, where that is known', () => {
      const held = (path: string, anyOf: readonly string[]): boolean =>
        path === '/vms/101' && anyOf.includes('VM.Config.CPU')
      expect(blockers(only(planChanges(desired, actualCluster({guests: [live()]}), {held})))).to.deep.equal([
        'privilege_missing',
      ])
      expect(blockers(only(planChanges(desired, actualCluster({guests: [live()]}))))).to.deep.equal([])
    })

    it('is an option that only root itself may set, apart from all others', () => {
      const plan = planChanges(
        desiredState(desiredGuest(101, {hookscript: 'local:snippets/h.pl', memory: '1024'})),
        actualCluster({guests: [live()]}),
      )
      const guest = only(plan)
      expect(guest.actions.map((a) => a.blockers.map((b) => b.code))).to.deep.equal([[], ['root_only']])
    })
  })

  describe('the node', () => {
    const at = (change: Partial<ActualGuest>): Plan =>
      planChanges(
        desiredState(desiredGuest(101, {}, {nodes: ['pve2', 'pve3']})),
        actualCluster({guests: [withConfig(101, {}, change)]}),
      )

    it('may be any of those that are named', () => {
      expect(at({node: 'pve3'}).guests).to.deep.equal([])
    })

    it('that is another one is shown as a move that felhom does not make yet', () => {
      expect(blockers(only(at({node: 'pve1'})))).to.deep.equal(['not_yet'])
    })

    it('of an HA-managed guest is the HA manager\u2019s to choose', () => {
      const plan = at({node: 'pve1', ha: {managed: true, state: 'started'}})
      expect(types(plan)).to.deep.equal([])
      expect(codes(plan)).to.deep.equal(['ha_placement'])
    })
  })

  it('is deterministic: the order of guests and options does not matter', () => {
    const names = ['memory', 'cores', 'tags', 'hostname', 'swap']
    fc.assert(
      fc.property(
        fc.shuffledSubarray(names, {minLength: names.length}),
        fc.shuffledSubarray([101, 102, 103], {minLength: 3}),
        (options, vmids) => {
          const written = Object.fromEntries(
            options.map((name) => [name, name === 'hostname' ? 'x' : name === 'tags' ? 'z' : '128']),
          )
          const desired = desiredState(...vmids.map((vmid) => desiredGuest(vmid, written)))
          const live = actualCluster({
            guests: [...vmids].reverse().map((vmid) => withConfig(vmid, {memory: '512'})),
          })
          const straight = desiredState(
            ...[101, 102, 103].map((vmid) =>
              desiredGuest(vmid, Object.fromEntries(Object.entries(written).sort())),
            ),
          )
          const plan = planChanges(desired, live)
          expect(plan).to.deep.equal(planChanges(straight, live))
        },
      ),
      {numRuns: 50},
    )
  })
})

import {expect} from 'chai'
import {
  decideRecovery,
  type Decision,
  type Remote,
  type Sight,
} from '../../../src/lib/engine/decide-recovery.ts'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {Intent, Operation, OperationBody} from '../../../src/lib/model/operation.ts'
import {actualGuest} from '../../support/actual-cluster.ts'
import {intentOf} from '../../support/operations.ts'

const NOW_MS = Date.UTC(2026, 10, 18, 7)
const MINUTE_MS = 60_000
const MARKER = 'BC:24:11:0A:0B:0C'
const IDS = ['hwaddr:BC:24:11:00:00:01', 'rootfs:local-lvm:vm-101-disk-0']
const OWN_CONFIG = {
  hostname: 'old',
  net0: 'name=eth0,hwaddr=BC:24:11:00:00:01,type=veth',
  rootfs: 'local-lvm:vm-101-disk-0,size=8G',
}
const OTHER_CONFIG = {net0: 'name=eth0,hwaddr=BC:24:11:FF:FF:FF,type=veth', rootfs: 'zfs:subvol-101-disk-0'}
const GB = 1024 ** 3

const operation = (
  body: OperationBody,
  more: Partial<Intent> = {},
  state: Partial<Operation> = {},
): Operation => ({
  intent: intentOf(1, body, {
    identity: {kind: 'lxc', vmid: 101, ids: IDS},
    atMs: NOW_MS - 5 * MINUTE_MS,
    ...more,
  }),
  state: 'task_running',
  sinceMs: NOW_MS - 5 * MINUTE_MS,
  ...state,
})

const present = (config: Record<string, string>, change: Partial<ActualGuest> = {}): Sight => ({
  guest: 'present',
  actual: actualGuest(101, {
    config: {known: true, current: config, pending: [], digest: 'd'},
    ...change,
  }),
})
const absent: Sight = {guest: 'absent'}
const unknown: Sight = {guest: 'unknown', reason: 'node pve1 is offline'}

interface Subject {
  readonly operation: Operation
  readonly sights: Readonly<Record<string, Sight>>
}

const level = (body: OperationBody, sights: Subject['sights'], more: Partial<Intent> = {}): Subject => ({
  operation: operation(body, more),
  sights,
})

const setConfig: OperationBody = {type: 'set-config', set: {hostname: 'new'}, delete: []}
const create: OperationBody = {
  type: 'create',
  from: {template: 'local:vztmpl/debian.tar.zst'},
  options: {},
  secrets: [],
  marker: [MARKER],
}
const clone: OperationBody = {
  type: 'create',
  from: {clone: 900},
  sourceNode: 'pve1',
  options: {},
  secrets: [],
  marker: [],
}
const restore: OperationBody = {...clone, from: {restore: 'local:backup/vzdump-lxc-101.tar.zst'}}

const OURS = {rootfs: 'local-lvm:vm-101-disk-0', net0: `name=eth0,hwaddr=${MARKER}`}
const CREATED = {
  ours: present(OURS),
  absent,
  debris: present(OURS, {lock: 'create'}),
  "somebody else's": present(OTHER_CONFIG),
}

/** A copy has the addresses that Proxmox chose: nothing marks it as ours. */
const COPIED = {
  unmarked: present(OTHER_CONFIG),
  absent,
  debris: present(OTHER_CONFIG, {lock: 'create'}),
  'of the other kind': present(OTHER_CONFIG, {kind: 'qemu'}),
}

const SUBJECTS: Readonly<Record<string, Subject>> = {
  start: level(
    {type: 'start'},
    {
      reached: present(OWN_CONFIG, {run: 'running'}),
      untouched: present(OWN_CONFIG, {run: 'stopped'}),
      'changed by others': present(OTHER_CONFIG, {run: 'running'}),
    },
  ),
  shutdown: level(
    {type: 'shutdown', timeoutMs: 60_000, force: false},
    {
      reached: present(OWN_CONFIG, {run: 'stopped'}),
      untouched: present(OWN_CONFIG, {run: 'running'}),
      'changed by others': absent,
    },
  ),
  restart: level(
    {type: 'restart'},
    {
      reached: present(OWN_CONFIG, {run: 'running'}),
      untouched: present(OWN_CONFIG, {
        run: 'running',
        config: {
          known: true,
          current: OWN_CONFIG,
          pending: [{option: 'tty', kind: 'set', value: '3'}],
          digest: 'd',
        },
      }),
      'changed by others': present(OWN_CONFIG, {run: 'stopped'}),
    },
  ),
  'set-config': level(
    setConfig,
    {
      reached: present({...OWN_CONFIG, hostname: 'new'}),
      untouched: present(OWN_CONFIG),
      'changed by others': present({...OWN_CONFIG, hostname: 'third'}),
    },
    {before: {run: 'running', options: {hostname: 'old'}}},
  ),
  'set-config of a secret': level(
    {type: 'set-config', set: {}, delete: [], secrets: ['cipassword']},
    {
      'read back as it was': present(OWN_CONFIG, {
        config: {known: true, current: OWN_CONFIG, pending: [], digest: 'before'},
      }),
      'changed somehow': present(OWN_CONFIG),
      'changed by others': absent,
    },
    {digest: 'before'},
  ),
  'set-config of a secret and more': level(
    {type: 'set-config', set: {hostname: 'new'}, delete: [], secrets: ['cipassword']},
    {
      reached: present({...OWN_CONFIG, hostname: 'new'}),
      untouched: present(OWN_CONFIG),
      'changed by others': present({...OWN_CONFIG, hostname: 'third'}),
    },
    {before: {run: 'running', options: {hostname: 'old'}}},
  ),
  resize: level(
    {type: 'resize', disk: 'rootfs', toBytes: 16 * GB},
    {
      reached: present({...OWN_CONFIG, rootfs: 'local-lvm:vm-101-disk-0,size=16G'}),
      untouched: present(OWN_CONFIG),
      'changed by others': present({...OWN_CONFIG, rootfs: 'local-lvm:vm-101-disk-0,size=12G'}),
    },
    {before: {run: 'running', options: {}, sizeBytes: 8 * GB}},
  ),
  create: {operation: operation(create), sights: CREATED},
  'restore to new': {operation: operation(restore), sights: COPIED},
  clone: {operation: operation(clone), sights: COPIED},
  destroy: {
    operation: operation({type: 'destroy'}, {class: 'destructive'}),
    sights: {
      absent,
      intact: present(OWN_CONFIG),
      'half gone': present(OWN_CONFIG, {lock: 'destroyed'}),
      'another guest': present(OTHER_CONFIG),
      'a guest of the other kind': present(OWN_CONFIG, {kind: 'qemu', lock: 'backup'}),
    },
  },
  'destroy of a guest without identity': {
    operation: operation({type: 'destroy'}, {identity: {kind: 'lxc', vmid: 101, ids: []}}),
    sights: {absent, 'a guest': present({})},
  },
}

const REMOTES: Readonly<Record<string, Remote>> = {
  'task running': {task: 'running'},
  'OK or WARNINGS': {task: 'ok', exit: 'WARNINGS: 1'},
  failed: {task: 'failed', exit: 'command failed'},
  'unexpected status': {task: 'unexpected'},
  'no such task': {task: 'lost'},
  'started, no orphan': {task: 'none'},
  'node unreachable': {task: 'unreachable', reason: 'no route to pve1'},
}

type Verdict = Decision['verdict']
/** Row of the table → how the guest is seen → what becomes of the operation. */
type Cells = Readonly<Record<string, Readonly<Record<string, Verdict>>>>

const PLANNED_AGAIN = {reached: 'satisfied', untouched: 'failed', 'changed by others': 'superseded'} as const
const LEVEL: Cells = {
  'OK or WARNINGS': {reached: 'succeeded', untouched: 'failed', 'changed by others': 'superseded'},
  failed: {reached: 'satisfied', untouched: 'failed', 'changed by others': 'failed'},
  'unexpected status': PLANNED_AGAIN,
  'no such task': PLANNED_AGAIN,
  'started, no orphan': PLANNED_AGAIN,
}
const CREATION: Cells = {
  'OK or WARNINGS': {
    ours: 'succeeded',
    absent: 'quarantine',
    debris: 'quarantine',
    "somebody else's": 'quarantine',
  },
  failed: {ours: 'quarantine', absent: 'failed', debris: 'quarantine', "somebody else's": 'quarantine'},
  'unexpected status': {
    ours: 'quarantine',
    absent: 'failed',
    debris: 'quarantine',
    "somebody else's": 'quarantine',
  },
  'no such task': {
    ours: 'satisfied',
    absent: 'quarantine',
    debris: 'quarantine',
    "somebody else's": 'quarantine',
  },
  'started, no orphan': {
    ours: 'satisfied',
    absent: 'stay',
    debris: 'quarantine',
    "somebody else's": 'quarantine',
  },
}
const UNREADABLE = {
  'read back as it was': 'failed',
  'changed somehow': 'quarantine',
  'changed by others': 'superseded',
} as const
const SECRET: Cells = {
  'OK or WARNINGS': UNREADABLE,
  failed: {...UNREADABLE, 'changed by others': 'failed'},
  'unexpected status': UNREADABLE,
  'no such task': UNREADABLE,
  'started, no orphan': UNREADABLE,
}
const COPY: Cells = {
  'OK or WARNINGS': {
    unmarked: 'succeeded',
    absent: 'quarantine',
    debris: 'quarantine',
    'of the other kind': 'quarantine',
  },
  failed: {unmarked: 'quarantine', absent: 'failed', debris: 'quarantine', 'of the other kind': 'quarantine'},
  'unexpected status': {
    unmarked: 'quarantine',
    absent: 'failed',
    debris: 'quarantine',
    'of the other kind': 'quarantine',
  },
  'no such task': {
    unmarked: 'quarantine',
    absent: 'quarantine',
    debris: 'quarantine',
    'of the other kind': 'quarantine',
  },
  'started, no orphan': {
    unmarked: 'quarantine',
    absent: 'stay',
    debris: 'quarantine',
    'of the other kind': 'quarantine',
  },
}
const EXPECTED: Readonly<Record<string, Cells>> = {
  start: LEVEL,
  shutdown: LEVEL,
  restart: LEVEL,
  'set-config': LEVEL,
  'set-config of a secret and more': LEVEL,
  'set-config of a secret': SECRET,
  resize: LEVEL,
  create: CREATION,
  'restore to new': COPY,
  clone: COPY,
  destroy: {
    'OK or WARNINGS': {
      absent: 'succeeded',
      intact: 'quarantine',
      'half gone': 'quarantine',
      'another guest': 'succeeded',
      'a guest of the other kind': 'succeeded',
    },
    failed: {
      absent: 'quarantine',
      intact: 'failed',
      'half gone': 'quarantine',
      'another guest': 'quarantine',
      'a guest of the other kind': 'quarantine',
    },
    'unexpected status': {
      absent: 'satisfied',
      intact: 'quarantine',
      'half gone': 'quarantine',
      'another guest': 'quarantine',
      'a guest of the other kind': 'quarantine',
    },
    'no such task': {
      absent: 'satisfied',
      intact: 'quarantine',
      'half gone': 'quarantine',
      'another guest': 'quarantine',
      'a guest of the other kind': 'quarantine',
    },
    'started, no orphan': {
      absent: 'satisfied',
      intact: 'quarantine',
      'half gone': 'quarantine',
      'another guest': 'quarantine',
      'a guest of the other kind': 'quarantine',
    },
  },
  'destroy of a guest without identity': {
    'OK or WARNINGS': {absent: 'succeeded', 'a guest': 'quarantine'},
    failed: {absent: 'quarantine', 'a guest': 'quarantine'},
    'unexpected status': {absent: 'satisfied', 'a guest': 'quarantine'},
    'no such task': {absent: 'satisfied', 'a guest': 'quarantine'},
    'started, no orphan': {absent: 'satisfied', 'a guest': 'quarantine'},
  },
}

describe('the decision table of recovery', () => {
  for (const [column, {operation: subject, sights}] of Object.entries(SUBJECTS)) {
    describe(column, () => {
      for (const [row, remote] of Object.entries(REMOTES)) {
        for (const [seen, sight] of Object.entries({...sights, unknown})) {
          const expected = cell(column, row, seen)
          it(`${row} × ${seen} → ${expected}`, () => {
            expect(decideRecovery(subject, remote, sight, NOW_MS).verdict).to.equal(expected)
          })
        }
      }
    })
  }
})

function cell(column: string, row: string, seen: string): Verdict {
  if (row === 'task running') return 'wait'
  if (row === 'node unreachable' || seen === 'unknown') return 'stay'
  const verdict = EXPECTED[column]?.[row]?.[seen]
  if (verdict === undefined) throw new Error(`the test knows no cell ${column}, ${row}, ${seen}`)
  return verdict
}

describe('the times of recovery', () => {
  const none: Remote = {task: 'none'}
  const start = operation({type: 'start'})
  const stopped = present(OWN_CONFIG, {run: 'stopped'})
  const lost = operation(create)

  it('a request that may still be on its way stays open until it has settled', () => {
    const untilMs = NOW_MS + 7_000
    const decision = decideRecovery(start, {task: 'unsettled', untilMs}, unknown, NOW_MS)
    expect(decision).to.include({verdict: 'stay', lookAgainMs: untilMs})
  })

  it('several tasks that could be its are for a person to tell apart', () => {
    const decision = decideRecovery(start, {task: 'several', upids: ['UPID:a', 'UPID:b']}, stopped, NOW_MS)
    expect(decision.verdict).to.equal('quarantine')
    expect(decision.reason).to.include('UPID:a, UPID:b')
  })

  it('a new guest that is absent for the first time stays open for ten minutes more', () => {
    const decision = decideRecovery(lost, none, absent, NOW_MS)
    expect(decision).to.include({verdict: 'stay', lookAgainMs: NOW_MS + 10 * MINUTE_MS})
  })

  it('a second sight of nothing within ten minutes decides nothing, and does not put the end off', () => {
    const absentSinceMs = NOW_MS - 10 * MINUTE_MS + 1
    const decision = decideRecovery({...lost, absentSinceMs}, none, absent, NOW_MS)
    expect(decision).to.include({verdict: 'stay', lookAgainMs: absentSinceMs + 10 * MINUTE_MS})
  })

  it('a second sight of nothing ten minutes after the first ends it as failed', () => {
    const absentSinceMs = NOW_MS - 10 * MINUTE_MS
    expect(decideRecovery({...lost, absentSinceMs}, none, absent, NOW_MS).verdict).to.equal('failed')
  })

  it('a first sight that lies in the future proves nothing', () => {
    const decision = decideRecovery({...lost, absentSinceMs: NOW_MS + 1}, none, absent, NOW_MS)
    expect(decision).to.include({verdict: 'stay', lookAgainMs: NOW_MS + 10 * MINUTE_MS})
  })

  it('a request to the HA manager is given time to be followed', () => {
    const upid = 'UPID:pve1:0000C3A1:0012F5B4:691BF0FF:hastart:101:root@pam!felhom:'
    const asked = {...start, upid, sinceMs: NOW_MS - MINUTE_MS}
    const ok: Remote = {task: 'ok', exit: 'OK'}
    expect(decideRecovery(asked, ok, stopped, NOW_MS).verdict).to.equal('stay')
    expect(decideRecovery(asked, ok, stopped, NOW_MS + MINUTE_MS).verdict).to.equal('failed')
    expect(decideRecovery(asked, {task: 'failed', exit: 'no'}, stopped, NOW_MS).verdict).to.equal('failed')
  })

  it('a request that a clock noted which was put back since is not waited for until that time comes', () => {
    const upid = 'UPID:pve1:0000C3A1:0012F5B4:691BF0FF:hastart:101:root@pam!felhom:'
    const asked = {...start, upid, sinceMs: NOW_MS + 60 * MINUTE_MS}
    expect(decideRecovery(asked, {task: 'ok', exit: 'OK'}, stopped, NOW_MS).verdict).to.equal('failed')
  })

  it('a shutdown through the HA manager may take the time that the guest was given', () => {
    const upid = 'UPID:pve1:0000C3A1:0012F5B4:691BF0FF:hastop:101:root@pam!felhom:'
    const body: OperationBody = {type: 'shutdown', timeoutMs: 5 * MINUTE_MS, force: true}
    const asked = operation(body, {}, {upid, sinceMs: NOW_MS - 6 * MINUTE_MS})
    const running = present(OWN_CONFIG, {run: 'running'})
    expect(decideRecovery(asked, {task: 'ok', exit: 'OK'}, running, NOW_MS).verdict).to.equal('stay')
    expect(decideRecovery(asked, {task: 'ok', exit: 'OK'}, running, NOW_MS + MINUTE_MS).verdict).to.equal(
      'failed',
    )
  })

  it('a machine that reboots is down for a moment after its task has ended', () => {
    const upid = 'UPID:pve1:0000C3A1:0012F5B4:691BF0FF:qmreboot:101:root@pam!felhom:'
    const asked = operation({type: 'restart'}, {}, {upid, sinceMs: NOW_MS - 1000})
    expect(decideRecovery(asked, {task: 'ok', exit: 'OK'}, stopped, NOW_MS).verdict).to.equal('stay')
  })
})

describe('what recovery says', () => {
  it('of a plain success nothing, of one with warnings how it ended', () => {
    const running = present(OWN_CONFIG, {run: 'running'})
    const start = operation({type: 'start'})
    expect(decideRecovery(start, {task: 'ok', exit: 'OK'}, running, NOW_MS).reason).to.equal('')
    expect(decideRecovery(start, {task: 'ok', exit: 'WARNINGS: 2'}, running, NOW_MS).reason).to.include(
      'WARNINGS: 2',
    )
  })

  it('of a failed task the exit status', () => {
    const stopped = present(OWN_CONFIG, {run: 'stopped'})
    const failed: Remote = {task: 'failed', exit: 'startup for container 101 failed'}
    expect(decideRecovery(operation({type: 'start'}), failed, stopped, NOW_MS).reason).to.equal(
      'its task failed: startup for container 101 failed; the guest is as it was before',
    )
  })

  it('of a new guest who it is', () => {
    const decision = decideRecovery(operation(create), {task: 'ok', exit: 'OK'}, present(OURS), NOW_MS)
    expect(decision).to.deep.include({
      identity: {kind: 'lxc', vmid: 101, ids: [`hwaddr:${MARKER}`, 'rootfs:local-lvm:vm-101-disk-0']},
    })
  })
})

describe('no decision of recovery', () => {
  const remotes: Remote[] = [
    ...Object.values(REMOTES),
    {task: 'ok', exit: 'OK'},
    {task: 'several', upids: []},
    {task: 'unsettled', untilMs: NOW_MS + 1},
  ]
  const sights: Sight[] = [
    ...Object.values(SUBJECTS).flatMap((subject) => Object.values(subject.sights)),
    unknown,
    present(OWN_CONFIG, {run: 'paused'}),
    present(OWN_CONFIG, {run: 'unknown'}),
    present(OWN_CONFIG, {kind: 'qemu'}),
    present(OWN_CONFIG, {config: {known: false, reason: 'forbidden'}}),
  ]
  const states: Partial<Operation>[] = [
    {state: 'started'},
    {state: 'quarantined'},
    {absentSinceMs: NOW_MS - 20 * MINUTE_MS},
    {upid: 'not a task id'},
  ]
  const subjects = Object.values(SUBJECTS).flatMap(({operation: one}) =>
    states.map((state) => ({...one, ...state})),
  )
  const all = subjects.flatMap((subject) =>
    remotes.flatMap((remote) =>
      sights.map((sight) => ({
        subject,
        remote,
        sight,
        decision: decideRecovery(subject, remote, sight, NOW_MS),
      })),
    ),
  )

  it('is anything but an end, quarantine or patience', () => {
    const verdicts = ['wait', 'stay', 'quarantine', 'succeeded', 'satisfied', 'failed', 'superseded']
    expect(all.length).to.be.greaterThan(10_000)
    expect(new Set(all.map(({decision}) => decision.verdict))).to.have.all.keys(...verdicts)
  })

  it('asks for patience without saying until when', () => {
    for (const {decision} of all)
      if ('lookAgainMs' in decision) expect(decision.lookAgainMs).to.be.greaterThan(NOW_MS)
  })

  it('ends an operation while its task runs, its node is silent or its request may be on its way', () => {
    for (const {remote, decision} of all)
      if (['running', 'unreachable', 'unsettled'].includes(remote.task))
        expect(decision.verdict).to.be.oneOf(['wait', 'stay'])
  })

  it('ends anything without having seen the guest', () => {
    for (const {sight, remote, decision} of all)
      if (sight.guest === 'unknown' && remote.task !== 'several')
        expect(decision.verdict).to.be.oneOf(['wait', 'stay'])
  })

  it('frees a guest that a destruction may have touched, unless it is gone, replaced or provably whole', () => {
    for (const {subject, sight, remote, decision} of all) {
      if (subject.intent.body.type !== 'destroy' || sight.guest !== 'present') continue
      if (decision.verdict === 'failed') expect(remote.task).to.equal('failed')
      else expect(decision.verdict).to.be.oneOf(['wait', 'stay', 'quarantine', 'succeeded'])
    }
  })

  it('calls a creation failed while a guest has its number', () => {
    for (const {subject, sight, decision} of all)
      if (subject.intent.body.type === 'create' && sight.guest !== 'absent')
        expect(decision.verdict).not.to.equal('failed')
  })

  it('comes without a reason, but for a plain success', () => {
    for (const {decision} of all)
      if (decision.verdict !== 'succeeded') expect(decision.reason).not.to.equal('')
  })
})

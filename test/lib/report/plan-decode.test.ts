// A saved plan comes back as it was, and nothing else comes back at all.
import {expect} from 'chai'
import fc from 'fast-check'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {Plan} from '../../../src/lib/model/plan.ts'
import {planChanges} from '../../../src/lib/plan/plan-changes.ts'
import {decodePlan} from '../../../src/lib/report/decode-plan.ts'
import {encodePlan} from '../../../src/lib/report/plan-json.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {desiredGuest, desiredState, type Written} from '../../support/desired-guest.ts'

type Json = Record<string, unknown>

const save = (plan: Plan): Json => JSON.parse(JSON.stringify(encodePlan(plan))) as Json

const VALUES: Record<string, readonly Written[]> = {
  memory: ['512', '1024', null],
  description: ['one\n', 'one\ntwo\u001b[31m\u202e\n', null],
  tags: ['a;b', 'c', null],
  net0: ['name=eth0,bridge=vmbr0,ip=dhcp', {bridge: 'vmbr1'}, {ip: null}],
  rootfs: [{size: '8G'}, {size: '16G'}, {size: '4G'}, {mountoptions: 'noatime'}],
  mp0: [null, {size: '9G'}, 'local-lvm:8,mp=/data'],
  features: ['nesting=1', 'keyctl=1'],
  tty: ['3', null],
  hookscript: ['local:snippets/hook.pl'],
  protection: ['0', '1'],
}

const LIVE = {
  memory: '512',
  description: 'one\n',
  tags: 'a;b',
  net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,ip=dhcp,type=veth',
  rootfs: 'local-lvm:vm-101-disk-0,size=8G',
  mp0: 'local-lvm:vm-101-disk-1,mp=/data,size=8G',
  unprivileged: '1',
}

const anyOptions = fc.record(
  Object.fromEntries(Object.entries(VALUES).map(([name, values]) => [name, fc.constantFrom(...values)])),
  {requiredKeys: []},
)

const create = {
  from: {template: 'local:vztmpl/debian.tar.zst'},
  storage: 'local-lvm',
  pool: 'infra',
  password: {env: 'PASSWORD'},
  place: {file: 'guests.yaml', line: 9, column: 3},
} as const

const anyDesired = fc.record({
  options: anyOptions,
  change: fc.record(
    {
      ensure: fc.constantFrom('present', 'absent'),
      run: fc.constantFrom('running', 'stopped'),
      restart: fc.constantFrom('never', 'allowed'),
      nodes: fc.constantFrom(['pve1'], ['pve2', 'pve3']),
      create: fc.constant(create),
    },
    {requiredKeys: []},
  ),
})

const anyLive = fc.record(
  {
    run: fc.constantFrom<ActualGuest['run']>('running', 'stopped', 'paused', 'unknown'),
    lock: fc.constantFrom('backup', 'migrate'),
    kind: fc.constantFrom('lxc', 'lxc', 'lxc', 'qemu'),
    config: fc.constantFrom<ActualGuest['config']>(
      {
        known: true,
        current: LIVE,
        pending: [{option: 'tty', kind: 'set', value: '3'}],
        digest: 'a'.repeat(40),
      },
      {known: true, current: {...LIVE, protection: '1'}, pending: [], digest: 'b'.repeat(40)},
      {known: false, reason: '403'},
    ),
  },
  {requiredKeys: ['config']},
)

const anyPlan = fc
  .tuple(fc.array(anyDesired, {minLength: 1, maxLength: 4}), fc.array(anyLive, {maxLength: 4}), fc.boolean())
  .map(([desired, live, quorate]) =>
    planChanges(
      desiredState(
        ...desired.map(({options, change}, i) =>
          desiredGuest(101 + i, options as Record<string, Written>, change),
        ),
      ),
      actualCluster({
        guests: live.map((change, i) => actualGuest(101 + i, change)),
        nodes: ['pve1', 'pve2', 'pve3'].map((name) => ({name, online: true, listed: true})),
        quorum: quorate ? 'quorate' : 'lost',
      }),
      {held: () => false},
    ),
  )

describe('a saved plan', () => {
  it('comes back as the plan that was saved, whatever it holds', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(anyPlan, (plan) => {
        for (const guest of plan.guests) for (const {type} of guest.actions) seen.add(type)
        expect(decodePlan(save(plan))).to.deep.equal({plan})
        expect(decodePlan(encodePlan(plan))).to.deep.equal({plan})
      }),
      {numRuns: 400, seed: 3},
    )
    expect([...seen].sort()).to.deep.equal([
      'create',
      'destroy',
      'migrate',
      'resize',
      'restart',
      'set-config',
      'shutdown',
      'start',
    ])
  })

  it('is refused, and never misread, when any one of its values is another', () => {
    const strange = fc.constantFrom<unknown>(
      null,
      0,
      -1,
      1.5,
      '',
      'x',
      true,
      [],
      {},
      [null],
      {a: 1},
      '\u001b',
    )
    fc.assert(
      fc.property(anyPlan, fc.nat(), strange, (plan, at, value) => {
        const saved = save(plan)
        const places = listPlaces(saved)
        const [holder, key] = places[at % places.length] ?? [saved, 'format_version']
        holder[key] = value
        const decoded = decodePlan(saved)
        // It may still be a plan, with another text in it; then that is exactly what it says.
        if ('plan' in decoded) expect(save(decoded.plan)).to.deep.equal(saved)
        else expect(decoded.problem).to.match(/^[^\n]{5,300}$/)
      }),
      {numRuns: 800, seed: 4},
    )
  })

  it('is refused when any one of its keys is missing, but for those that may be', () => {
    const optional = /^(?:before|after|parts|note|sideEffects|secret|place|storage|full|rootOnly)$/
    fc.assert(
      fc.property(anyPlan, fc.nat(), (plan, at) => {
        const saved = save(plan)
        const places = listPlaces(saved).filter(
          ([holder, key]) => !Array.isArray(holder) && !optional.test(key),
        )
        const [holder, key] = places[at % places.length] ?? [saved, 'format_version']
        Reflect.deleteProperty(holder, key)
        expect(decodePlan(saved)).to.have.property('problem')
      }),
      {numRuns: 400, seed: 5},
    )
  })

  describe('that somebody has touched', () => {
    const destruction = planChanges(
      desiredState(desiredGuest(101, {}, {ensure: 'absent'}), desiredGuest(102, {memory: '1024'})),
      actualCluster({
        guests: [101, 102].map((vmid) =>
          actualGuest(vmid, {config: {known: true, current: LIVE, pending: [], digest: 'a'.repeat(40)}}),
        ),
      }),
    )
    const tampered = (change: (plan: {guests: Json[]; steps: Json[]; saved: Json}) => void): unknown => {
      const saved = save(destruction)
      const guests = saved['resource_changes'] as Json[]
      change({saved, guests, steps: guests.flatMap((guest) => guest['steps'] as Json[])})
      const decoded = decodePlan(saved)
      return 'problem' in decoded ? decoded.problem : decoded
    }
    const cases: [string, string, Parameters<typeof tampered>[0]][] = [
      [
        'says another version',
        'its format_version is 2.0; this felhom reads 1.0',
        ({saved}) => (saved['format_version'] = '2.0'),
      ],
      [
        'calls a destruction benign',
        'resource_changes[0].steps[1].class is not destructive, though the step is',
        ({steps}) => Object.assign(steps[1] ?? {}, {class: 'benign'}),
      ],
      [
        'calls a destruction reversible',
        'resource_changes[0].steps[1].reversible is not false, though data is lost',
        ({steps}) => Object.assign(steps[1] ?? {}, {reversible: true}),
      ],
      [
        'shows another guest than its steps are about',
        'resource_changes[0].address is not what its steps say',
        ({guests}) => Object.assign(guests[0] ?? {}, {address: 'lxc/199'}),
      ],
      [
        'shows that no signature is needed',
        'resource_changes[0].gate.needs_signature is not what its steps say',
        ({guests}) => Object.assign(guests[0] ?? {}, {gate: {class: 'destructive', needs_signature: false}}),
      ],
      [
        'counts people who have signed where no signature is wanting',
        'resource_changes[0].steps[1].blockers[0].code is not needs_signature, though it counts people',
        ({steps}) =>
          Object.assign(steps[1] ?? {}, {
            blockers: [{code: 'locked', message: 'x', signed: {people: 0, needed: 1}}],
          }),
      ],
      [
        'says that as many have signed as must',
        'resource_changes[0].steps[1].blockers[0].signed.people is not less than needed',
        ({steps}) =>
          Object.assign(steps[1] ?? {}, {
            blockers: [{code: 'needs_signature', message: 'x', signed: {people: 1, needed: 1}}],
          }),
      ],
      [
        'shows more signatures than its steps count',
        'resource_changes[0].change.impact is not what its steps say',
        ({guests}) => Object.assign(guests[0]?.['change'] as Json, {impact: 'needs signature (1/2)'}),
      ],
      [
        'counts wrongly',
        'summary.destroy is not what its steps say',
        ({saved}) => Object.assign(saved['summary'] as Json, {destroy: 0}),
      ],
      [
        'has a number that is no vmid',
        'resource_changes[0].vmid is not a vmid',
        ({guests}) => Object.assign(guests[0] ?? {}, {vmid: 7}),
      ],
      [
        'has a node that would break out of a path',
        'resource_changes[0].node is not the name of a node',
        ({guests}) => Object.assign(guests[0] ?? {}, {node: 'pve1/../..'}),
      ],
      [
        'names a guest twice',
        'resource_changes names guest 101 twice',
        ({saved, guests}) => (saved['resource_changes'] = [guests[0], guests[0]]),
      ],
      [
        'writes to a guest that it says does not exist',
        'resource_changes[1].steps[0] cannot be: the guest does not exist',
        ({guests}) => Object.assign(guests[1] ?? {}, {exists: false}),
      ],
      [
        'has a step of a kind that there is not',
        'resource_changes[1].steps[0].type is not one of set-config, resize, create, destroy, migrate, start, shutdown, restart, snapshot-delete, snapshot-rollback',
        ({steps}) => Object.assign(steps[2] ?? {}, {type: 'constructor'}),
      ],
      [
        'has a key in a step that nobody knows',
        'resource_changes[1].steps[0].__proto__ is a key that felhom does not write',
        ({steps}) =>
          Object.defineProperty(steps[2] ?? {}, '__proto__', {value: {class: 'benign'}, enumerable: true}),
      ],
      [
        'has an option whose name is none',
        'resource_changes[1].steps[0].changes[0].option is not the name of an option',
        ({steps}) => Object.assign((steps[2]?.['changes'] as Json[])[0] ?? {}, {option: '__proto__'}),
      ],
      [
        'has a key beside the others that nobody knows',
        'constructor is not what its steps say',
        ({saved}) => Object.assign(saved, {constructor: {}}),
      ],
    ]
    for (const [title, problem, change] of cases) {
      it(`and that now ${title} is refused`, () => {
        expect(tampered(change)).to.equal(problem)
      })
    }

    it('is taken as long as nobody has', () => {
      expect(tampered(() => undefined)).to.deep.equal({plan: destruction})
    })
  })

  it('that is no plan at all is refused in words', () => {
    for (const json of [undefined, null, 1, 'plan', [], [{}]]) {
      expect(decodePlan(json)).to.deep.equal({problem: 'it is not a JSON object'})
    }
    expect(decodePlan({})).to.deep.equal({problem: 'format_version is missing'})
    expect(decodePlan(JSON.parse('{"__proto__": {"format_version": "1.0"}}'))).to.deep.equal({
      problem: 'format_version is missing',
    })
  })
})

/** Every value of a JSON, by what holds it. */
function listPlaces(value: unknown): [Json, string][] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Json
  return Object.keys(holder).flatMap((key) => [[holder, key] as [Json, string], ...listPlaces(holder[key])])
}

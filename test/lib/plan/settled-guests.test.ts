// What is remembered of a guest must never be told of another, nor of the same one as it no longer is.
import {expect} from 'chai'
import fc from 'fast-check'
import type {ActualGuest, KnownConfig} from '../../../src/lib/model/actual.ts'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {GuestPlan} from '../../../src/lib/model/plan.ts'
import {planChanges} from '../../../src/lib/plan/plan-changes.ts'
import {SettledGuests} from '../../../src/lib/plan/settled-guests.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {desiredGuest, desiredState} from '../../support/desired-guest.ts'

const config = (change: Partial<KnownConfig> = {}): KnownConfig => ({
  known: true,
  current: {memory: '512', cores: '2'},
  pending: [{option: 'tty', kind: 'set', value: '2'}],
  digest: 'a',
  ...change,
})
const guest = (change: Partial<ActualGuest> = {}): ActualGuest =>
  actualGuest(101, {config: config(), ha: {managed: true, state: 'started'}, ...change})
const wish = desiredGuest(101, {memory: '512'}, {run: 'running'})
const SETTLED: GuestPlan = {
  ...{kind: 'lxc', vmid: 101, name: 'guest-101', node: 'pve1', exists: true, run: 'running'},
  ...{liveDigest: 'a', actions: [], unchangedOptions: 1, problems: []},
}

describe('a guest that was as desired', () => {
  const settled = new SettledGuests()
  settled.keep(wish, guest(), SETTLED)

  it('is so still if it looks the same, under the same wish', () => {
    expect(settled.recall(wish, guest())).to.equal(SETTLED)
    expect(settled.recall(desiredGuest(101, {memory: '512'}), guest())).to.equal(undefined)
  })

  const others: Readonly<Record<string, Partial<ActualGuest>>> = {
    'has become another kind': {kind: 'qemu'},
    'has another number': {vmid: 102},
    'is elsewhere': {node: 'pve2'},
    'has another name': {name: 'other'},
    'does not run': {run: 'stopped'},
    'has become a template': {template: true},
    'is locked': {lock: 'backup'},
    'has a tag': {tags: ['prod']},
    'is no longer managed': {ha: {managed: false}},
    'may be managed': {ha: {managed: 'unknown'}},
    'is managed otherwise': {ha: {managed: true, state: 'stopped'}},
    'has another digest': {config: config({digest: 'b'})},
    'has another value': {config: config({current: {memory: '513', cores: '2'}})},
    'has one option more': {config: config({current: {memory: '512', cores: '2', swap: '0'}})},
    'has one option less': {config: config({current: {memory: '512'}})},
    'has another option in its place': {config: config({current: {memory: '512', cpulimit: '2'}})},
    'has nothing pending': {config: config({pending: []})},
    'has something else pending': {config: config({pending: [{option: 'tty', kind: 'set', value: '3'}]})},
    'could not be read': {config: {known: false, reason: 'away'}},
  }
  for (const [what, change] of Object.entries(others)) {
    it(`is planned anew if it ${what}`, () => {
      expect(settled.recall(wish, guest(change))).to.equal(undefined)
    })
  }

  it('is forgotten as soon as there is something to say of it, and never remembered as unreadable', () => {
    const memory = new SettledGuests()
    memory.keep(wish, guest(), SETTLED)
    const problem = {code: 'restart_pending', severity: 'warning', message: 'tty waits'} as const
    memory.keep(wish, guest(), {...SETTLED, problems: [{...problem, place: wish.place}]})
    expect(memory.recall(wish, guest())).to.equal(undefined)
    const unread = guest({config: {known: false, reason: 'away'}})
    memory.keep(wish, unread, SETTLED)
    expect(memory.recall(wish, unread)).to.equal(undefined)
  })
})

describe('planning again and again', () => {
  const wishes: readonly DesiredGuest[] = [
    desiredGuest(101, {memory: '512', net0: {bridge: 'vmbr0'}}, {run: 'running'}),
    desiredGuest(102, {cores: null}, {nodes: ['pve1'], restart: 'allowed'}),
    desiredGuest(103, {}, {ensure: 'absent'}),
  ]
  const states = fc.record({
    vmid: fc.constantFrom(101, 102, 103, 104),
    run: fc.constantFrom('running' as const, 'stopped' as const),
    node: fc.constantFrom('pve1', 'pve2'),
    lock: fc.constantFrom(undefined, 'backup'),
    current: fc.record(
      {
        memory: fc.constantFrom('512', '1024'),
        cores: fc.constantFrom('1', '2'),
        net0: fc.constantFrom('name=eth0,bridge=vmbr0', 'name=eth0,bridge=vmbr1'),
      },
      {requiredKeys: []},
    ),
    pending: fc.constantFrom<KnownConfig['pending']>([], [{option: 'cores', kind: 'delete', force: false}]),
    isKnown: fc.boolean(),
  })

  it('says in every pass what planning anew would say', () => {
    const passes = fc.array(fc.uniqueArray(states, {selector: ({vmid}) => vmid, maxLength: 4}), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(passes, (clusters) => {
        const settled = new SettledGuests()
        for (const cluster of clusters) {
          const guests = cluster.map(({vmid, current, pending, isKnown, ...rest}) =>
            actualGuest(vmid, {
              ...rest,
              config: isKnown ? {known: true, current, pending, digest: 'a'} : {known: false, reason: 'away'},
            }),
          )
          const actual = actualCluster({guests})
          const anew = planChanges(desiredState(...wishes), actual)
          expect(planChanges(desiredState(...wishes), actual, {settled})).to.deep.equal(anew)
        }
      }),
      {numRuns: 500},
    )
  })
})

// Rules of plugins at the gate: they can make it stricter, and whatever else they do changes nothing.
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import fc from 'fast-check'
import {rulesOf} from '../../../../src/lib/app/plugins/plugin-rules.ts'
import {classifyAction} from '../../../../src/lib/gate/classify.ts'
import {createGate, type GateRequest} from '../../../../src/lib/gate/gate.ts'
import type {ActualGuest} from '../../../../src/lib/model/actual.ts'
import type {ActionBody, GateClass} from '../../../../src/lib/model/plan.ts'
import type {Rule, RuleRequest} from '../../../../src/lib/plugin/contract.ts'
import type {Extension} from '../../../../src/lib/plugin/extensions.ts'
import {actualGuest} from '../../../support/actual-cluster.ts'
import {toyGuest} from '../../../support/gate-bench.ts'
import {optionChange, plannedAction} from '../../../support/planned-action.ts'

const TARGET = {kind: 'lxc', vmid: 104, node: 'pve1'} as const
const SHUTDOWN: ActionBody = {type: 'shutdown', timeoutMs: 1000, force: false}
const rule = (run: Rule, name = 'r'): Extension<Rule> => ({plugin: 'felhom-plugin-x', name, run})

const ask = (body: ActionBody, guest: ActualGuest | undefined = toyGuest()): GateRequest => ({
  action: plannedAction(body),
  target: TARGET,
  guest,
})

const gateWith = (rules: readonly Extension<Rule>[], timeoutMs?: number): ReturnType<typeof createGate> =>
  createGate({rules: rulesOf({rules}, '/srv', timeoutMs)})

/** What is refused, and how that is told. */
async function refusalOf(run: Rule, timeoutMs?: number): Promise<string> {
  const verdict = await gateWith([rule(run)], timeoutMs).authorize(ask(SHUTDOWN))
  if (verdict.allowed) throw new Error('it was allowed')
  return `${verdict.refusal.code}: ${verdict.refusal.message}`
}

describe('a rule of a plugin', () => {
  it('sees the action, the guest and its tags, and can change none of it', async () => {
    const seen: RuleRequest[] = []
    const current = {tags: 'dns;prod', cores: '1'}
    const guest = toyGuest({config: {known: true, current, pending: [], digest: ''}})
    const body: ActionBody = {type: 'set-config', changes: [optionChange('cores', '1', '2')]}
    await gateWith([rule((request) => void seen.push(request))]).authorize(ask(body, guest))
    expect(seen).to.deep.equal([
      {
        action: {type: 'set-config', class: 'benign', impact: 'live', reversible: true, options: ['cores']},
        guest: {kind: 'lxc', vmid: 104, node: 'pve1', name: 'guest-104', tags: ['dns', 'prod'], exists: true},
      },
    ])
    const [request] = seen
    for (const part of [
      request,
      request?.action,
      request?.guest,
      request?.guest.tags,
      request?.action.options,
    ])
      expect(part).to.be.frozen
  })

  it('is told that tags could not be read, and that there is no guest', async () => {
    const seen: unknown[] = []
    const gate = gateWith([rule(({guest}) => void seen.push([guest.exists, guest.tags]))])
    await gate.authorize(ask(SHUTDOWN, actualGuest(104, {config: {known: false, reason: 'away'}})))
    await gate.authorize({action: plannedAction(SHUTDOWN), target: TARGET, guest: undefined})
    expect(seen).to.deep.equal([
      [true, undefined],
      [false, []],
    ])
  })

  it('raises a stop to what needs a signature', async () => {
    expect(await refusalOf(() => 'destructive')).to.match(/^pending_signature: /)
    expect((await gateWith([rule(() => undefined)]).authorize(ask(SHUTDOWN))).allowed).to.equal(true)
  })

  it('lets nothing pass when it fails, hangs or answers what is no answer', async () => {
    const named = /^rule_failed: the rule r of the plugin felhom-plugin-x failed: /
    expect(
      await refusalOf(() => {
        throw new Error('no luck')
      }),
    )
      .to.match(named)
      .and.contain('no luck')
    expect(await refusalOf(() => new Promise(() => undefined), 1))
      .to.match(named)
      .and.contain('did not answer')
    for (const answer of [true, null, 'safe', 0, {class: 'benign'}])
      expect(await refusalOf(() => answer as never))
        .to.match(named)
        .and.contain('its answer is neither')
  })

  it('that hangs is not waited for again for each guest of a large cluster; one that fails at once is asked anew', async () => {
    let [hung, failed] = [0, 0]
    const hangs = rule(() => {
      hung++
      return new Promise<undefined>(() => undefined)
    })
    const fails = rule(() => {
      failed++
      throw new Error('no luck')
    })
    const slow = gateWith([hangs], 200)
    const quick = gateWith([fails])
    for (let i = 0; i < 5; i++) {
      expect((await slow.inspect(ask(SHUTDOWN))).refusal?.message).to.contain('did not answer')
      expect((await quick.inspect(ask(SHUTDOWN))).refusal?.message).to.contain('no luck')
      await sleep(5)
    }
    expect(hung).to.equal(1)
    expect(failed).to.be.above(1)
  })

  it('is asked though another has spoken: one that fails is not hidden by one that raises', async () => {
    const rules = [rule(() => 'destructive', 'a'), rule(() => Promise.reject(new Error('no luck')), 'b')]
    const inspection = await gateWith(rules).inspect(ask(SHUTDOWN))
    expect(inspection.class).to.equal('destructive')
    expect(inspection.refusal?.message).to.contain('the rule b of the plugin felhom-plugin-x failed')
  })
})

const actions = fc.constantFrom<ActionBody>(
  SHUTDOWN,
  {type: 'start'},
  {type: 'restart'},
  {type: 'destroy'} as ActionBody,
  {type: 'snapshot-delete', snapshot: 's'} as ActionBody,
  {type: 'resize', disk: 'rootfs', toBytes: 9e9} as unknown as ActionBody,
  {type: 'wipe'} as unknown as ActionBody,
  {type: 'set-config', changes: [optionChange('cores', '1', '2')]},
  {
    type: 'set-config',
    changes: [optionChange('mp0', 'local-lvm:vm-104-disk-1,mp=/data,size=100G', undefined)],
  },
  {type: 'set-config', changes: [optionChange('protection', '1', '0')]},
)
const guests = fc.constantFrom<ActualGuest | undefined>(
  toyGuest(),
  toyGuest({run: 'running'}),
  actualGuest(104),
  actualGuest(104, {config: {known: false, reason: 'away'}}),
  undefined,
)
/** Whatever a plugin may do, and try. */
const runs = fc.constantFrom<[string, Rule]>(
  ['silent', () => undefined],
  ['lowers', () => 'benign'],
  ['raises', () => 'destructive'],
  ['lowers later', () => Promise.resolve('benign')],
  [
    'throws',
    () => {
      throw new Error('no luck')
    },
  ],
  ['makes things up', () => 'harmless' as GateClass],
  [
    'meddles',
    ({action, guest}) => {
      Object.assign(action, {class: 'benign', type: 'start'})
      Object.assign(guest, {tags: []})
      return 'benign'
    },
  ],
)

describe('no combination of rules', () => {
  it('lowers a class, or lets pass what would not pass without them', async () => {
    const combination = fc.array(runs, {maxLength: 5})
    await fc.assert(
      fc.asyncProperty(actions, guests, fc.boolean(), combination, async (body, guest, ours, chosen) => {
        const provenance = {createdInRun: () => ours, isScratch: () => ours}
        const rules = rulesOf({rules: chosen.map(([name, run]) => rule(run, name.replace(' ', '-')))}, '/srv')
        const request = {action: plannedAction(body), target: TARGET, guest, run: 'r1'}
        const own = classifyAction(request, {provenance})
        const [bare, ruled] = [createGate({provenance}), createGate({provenance, rules})]
        const after = (await ruled.inspect(request)).class
        const isRaised = chosen.some(([name]) => !['silent', 'lowers', 'lowers later'].includes(name))
        expect(after).to.equal(own === 'destructive' || isRaised ? 'destructive' : 'benign')
        const [without, within] = [await bare.authorize(request), await ruled.authorize(request)]
        expect(within.allowed).to.equal(without.allowed && !isRaised)
      }),
      {numRuns: 500},
    )
  })
})

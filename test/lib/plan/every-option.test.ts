// For every option of both kinds: what the sandbox was given and `plan` compares with the same is no change;
// before it was given, the plan shows exactly that change, with the impact that the real Proxmox had.
import {expect} from 'chai'
import {findOption} from '../../../src/lib/catalog/option.ts'
import {readValue} from '../../../src/lib/catalog/read-value.ts'
import type {ActualGuest} from '../../../src/lib/model/actual.ts'
import type {DesiredGuest} from '../../../src/lib/model/desired.ts'
import type {Plan} from '../../../src/lib/model/plan.ts'
import {planChanges} from '../../../src/lib/plan/plan-changes.ts'
import {readPendingConfig} from '../../../src/lib/pve/answers.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'
import {desiredGuest, desiredState} from '../../support/desired-guest.ts'
import {InProcessSandbox} from '../../support/in-process-sandbox.ts'
import {readOptionFacts, type OptionFact} from '../../support/recorded-option-facts.ts'

const facts = readOptionFacts().facts.filter((fact) => fact.status === 200 && isManaged(fact))

/** What a desired-state file may hold: the catalog says so, and the value is one a person may write. */
function isManaged({kind, option, value}: OptionFact): boolean {
  const found = findOption(kind, option)
  if (!found || found.isReadOnly || !found.isComparable || found.aliasOf !== undefined) return false
  return 'value' in readValue(found, value)
}

/**
 * Proxmox stores a false `size=` as it was written. To felhom a written size is the size that the disk shall
 * have, so it plans to grow the disk instead: the one place where a write of Proxmox's is not felhom's.
 */
const meansGrowth = ({kind, option, value}: OptionFact): boolean =>
  findOption(kind, option)?.isDisk === true && /(?:^|,)size=/.test(String(value))

async function readGuest(
  sandbox: InProcessSandbox,
  {kind, vmid, guestState}: OptionFact,
): Promise<ActualGuest> {
  const {data} = await sandbox.get(`/nodes/pve/${kind}/${vmid}/pending`)
  return actualGuest(vmid, {kind, node: 'pve', run: guestState, config: readPendingConfig(data)})
}

function wanted({kind, option, vmid, value}: OptionFact): DesiredGuest {
  const found = findOption(kind, option)
  const reading = found ? readValue(found, value) : undefined
  if (!reading || !('value' in reading)) throw new Error(`${option} cannot be desired`)
  const place = {file: 'guests.yaml', line: 1, column: 1}
  return desiredGuest(
    vmid,
    {},
    {kind, options: new Map([[option, {name: option, value: reading.value, place}]])},
  )
}

const plan = (desired: DesiredGuest, live: ActualGuest): Plan =>
  planChanges(
    desiredState(desired),
    actualCluster({guests: [live], nodes: [{name: 'pve', online: true, listed: true}]}),
  )

const actionsOf = (planned: Plan): string[] =>
  planned.guests.flatMap((g) =>
    g.actions.flatMap((a) =>
      a.type === 'set-config' ? a.changes.map((c) => `set ${c.option} ${c.impact}`) : [a.type],
    ),
  )

const errorsOf = (planned: Plan): string[] =>
  planned.guests.flatMap((g) => g.problems.filter((p) => p.severity === 'error').map((p) => p.message))

describe('every option, planned against the sandbox', () => {
  it('covers nearly every family of both kinds', () => {
    const families = new Set(facts.map(({kind, schemaOption}) => `${kind} ${schemaOption}`))
    expect(families.size).to.be.greaterThan(80)
  })

  for (const fact of facts) {
    const {kind, option, value, guestState, vmid, effect} = fact
    it(`${kind} ${guestState}: ${option} = ${JSON.stringify(value).slice(0, 60)}`, async () => {
      const sandbox = new InProcessSandbox()
      const before = actionsOf(plan(wanted(fact), await readGuest(sandbox, fact)))
      const answer = await sandbox.put(`/nodes/pve/${kind}/${vmid}/config`, {[option]: value})
      expect(answer.status, answer.reason).to.equal(200)
      const after = plan(wanted(fact), await readGuest(sandbox, fact))
      const grows = meansGrowth(fact)
      expect(
        actionsOf(after).filter((a) => !(grows && a === 'resize')),
        'after the write',
      ).to.deep.equal([])
      expect(errorsOf(after)).to.deep.equal([])
      if (!fact.changed || before.length === 0 || grows) return
      const impact = guestState === 'stopped' ? 'none' : effect === 'pending' ? 'restart' : 'live'
      expect(before, 'before the write').to.deep.equal([`set ${option} ${impact}`])
    })
  }
})

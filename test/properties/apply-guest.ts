// An apply by the real planner, engine, writer and reader on the sandbox's core, and what must hold after it.
import {expect} from 'chai'
import type {RunResult} from '../../src/lib/engine/run-options.ts'
import type {DesiredGuest} from '../../src/lib/model/desired.ts'
import type {GuestAddress} from '../../src/lib/model/guest.ts'
import type {Plan} from '../../src/lib/model/plan.ts'
import type {ActionOutcome} from '../../src/lib/model/run-event.ts'
import {EngineBench} from '../support/engine-bench.ts'
import {recordedSeed} from '../support/test-sandbox.ts'
import type {Case} from './arbitrary-guest.ts'

/** With nobody else at work and no fault, an action succeeds, is refused by Proxmox, or was never to be tried. */
const POSSIBLE: readonly ActionOutcome[] = ['succeeded', 'satisfied', 'blocked', 'failed', 'skipped']
/** Nobody signs here: what can lose data is left to the gate, which refuses it. */
const UNSIGNED: readonly ActionOutcome[] = [...POSSIBLE, 'refused']
/** Problems that say why a guest is not wholly as desired. */
const SAID: readonly string[] = ['restart_pending', 'disk_shrink', 'no_volume', 'part_missing']

export interface Applied {
  readonly result: RunResult
  readonly after: Plan
}

interface Seed {
  readonly guests: readonly {readonly vmid: number}[]
}

/** The other guests would only be read. */
function seedWith({vmid}: GuestAddress): Seed {
  const seed = recordedSeed() as Seed
  return {...seed, guests: seed.guests.filter((guest) => guest.vmid === vmid)}
}

/** Where the seed was recorded no hypervisor ran: machines did not come back after a reboot. */
export function realBench(seed?: Seed): EngineBench {
  const bench = new EngineBench({seed})
  delete bench.sandbox.cluster.state.knobs.isHypervisorFaked
  return bench
}

export async function makeBench({guest, history}: Case): Promise<EngineBench> {
  const bench = realBench(seedWith(guest))
  for (const [option, value] of history) {
    await bench.sandbox.put(`/nodes/pve/${guest.kind}/${guest.vmid}/config`, {[option]: value})
  }
  return bench
}

export async function apply(bench: EngineBench, desired: DesiredGuest): Promise<Applied> {
  const result = await bench.apply([desired])
  expect(bench.journal.openOperations(), 'nothing is left open').to.deep.equal([])
  return {result, after: await bench.plan(desired)}
}

const leftIn = ({guests}: Plan): string[] =>
  guests.flatMap(({actions}) =>
    actions
      .filter(({blockers}) => blockers.length === 0)
      .map((a) =>
        a.type === 'set-config'
          ? a.changes.map((c) => `${c.option}: ${c.before} -> ${c.after}`).join()
          : a.type,
      ),
  )

export function expectConverged({result, after}: Applied): boolean {
  const {results} = result
  const said = results.map(({action, outcome, detail}) => `${action.type} ${outcome} ${detail ?? ''}`)
  for (const {action, outcome} of results) {
    expect(action.class === 'destructive' ? UNSIGNED : POSSIBLE, said.join('\n')).to.include(outcome)
  }
  const failed = results.find(({outcome}) => outcome === 'failed')
  if (failed) {
    expect(failed.detail).to.match(/\S/)
    return false
  }
  // What could not be plugged into the running guest waits for a restart instead, and was said to.
  const isUnplugged = results.some(
    ({outcome, detail}) => outcome === 'satisfied' && /hotplug/.test(detail ?? ''),
  )
  expect(leftIn(after), said.join('\n')).to.deep.equal(
    isUnplugged && leftIn(after).length > 0 ? ['restart'] : [],
  )
  const problems = after.guests.flatMap((guest) => guest.problems.map(({code}) => code))
  for (const code of problems) expect(SAID).to.include(code)
  return after.guests.length === 0
}

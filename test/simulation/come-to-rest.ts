// The end of every life: nothing goes wrong any more, and so everything that is open must end, and everything that
// is desired must come to be, or be told to be impossible.
import type {OperationBody} from '../../src/lib/model/operation.ts'
import type {PlannedAction} from '../../src/lib/model/plan.ts'
import type {PassResult} from './apply-pass.ts'
import {clearUp} from './events.ts'
import {runProcess} from './run-process.ts'
import {calmWeather} from './weather.ts'
import type {World} from './world.ts'

const MOST_PASSES = 8
/** Longer than the ten minutes for which a guest must be absent. */
const BETWEEN_PASSES_MS = 11 * 60_000
const TASK_TIMEOUT_MS = 600_000

export async function comeToRest(world: World): Promise<void> {
  world.weather = calmWeather
  clearUp(world)
  await letTasksEnd(world)
  world.taskTimeoutMs = TASK_TIMEOUT_MS
  let last: PassResult | undefined
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    if (world.isDisarmed) world.rearm()
    signAgain(world)
    last = await runProcess(world, 1)
    if (world.isOver || (last && findUnrest(world, last).length === 0)) break
    await world.clock.sleep(BETWEEN_PASSES_MS)
  }
  if (world.isOver) return
  const unrest = last ? findUnrest(world, last) : ['no pass came to its end']
  if (unrest.length > 0) world.oracle.violate('G4', unrest.join('; '))
}

/** Those that were slowed down, and requests that are still on their way. */
async function letTasksEnd({clock, proxmox}: World): Promise<void> {
  await clock.sleep(60_000)
  for (let i = 0; i < 60 && proxmox.runningTasks().length > 0; i++) await clock.sleep(60_000)
}

/** A signature that was used up, or is for the guest that was there before, is given anew. */
function signAgain(world: World): void {
  for (const {vmid, ensure} of world.desired.guests) {
    if (ensure === 'absent' && world.jobs.has(vmid)) world.sign(vmid)
  }
}

/** What is neither done nor told to be impossible. */
function findUnrest(world: World, {plan}: PassResult): string[] {
  const open = world.oracle.open()
  // The task of a copy bears the number of its source, which is frozen as well.
  const frozen = new Set(open.flatMap(({intent}) => [intent.target.vmid, ...sourceOf(intent.body)]))
  return [
    ...open
      .filter(({state}) => state !== 'quarantined')
      .map(({intent, state}) => `${intent.op} (${intent.body.type}) is still ${state}`),
    ...plan.guests
      .filter(({vmid, actions}) => ![vmid, ...actions.flatMap(sourceOf)].some((id) => frozen.has(id)))
      .flatMap(({vmid, actions}) =>
        actions
          .filter(({blockers}) => blockers.length === 0)
          .map(({type, why}) => `${String(vmid)} still needs ${type}: ${why}`),
      ),
  ]
}

const sourceOf = (body: OperationBody | PlannedAction): number[] =>
  body.type === 'create' && 'clone' in body.from ? [body.from.clone] : []

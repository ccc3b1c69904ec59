// A run of a pass, be it of what differs or of a signed job: told as it goes, ended with the daemon, and whatever it
// has sent makes what was read before old.
import type {ActionResult} from '../../model/run-event.ts'
import {carryOut, hasSent, type RunRequest} from '../apply/apply-run.ts'
import type {Scene} from './scene.ts'
import {describeProblem, type Draft} from './pass-draft.ts'
import type {PassWorld} from './pass-world.ts'

export async function carryOutInPass(
  what: Pick<RunRequest, 'work' | 'planned' | 'gate' | 'mayAdapt'>,
  {access, state, view}: Scene,
  world: PassWorld,
  draft: Draft,
): Promise<readonly ActionResult[]> {
  const {settings, clock, randomHex, extensions, stop} = world
  const outcome = await carryOut(
    {
      ...what,
      ...{access, journal: state.journal, settings, clock},
      ...(extensions && {extensions}),
      ...(randomHex && {randomHex}),
    },
    {
      stop,
      show: (event) => {
        world.tell({type: 'run', event})
      },
    },
  )
  if (outcome.failure) draft.problem = describeProblem(outcome.failure)
  if (hasSent(outcome)) view.forget()
  return outcome.results
}

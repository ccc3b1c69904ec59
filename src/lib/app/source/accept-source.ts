// The operator lets a revision pass that was refused because it is older, or has lost too much. It is about exactly
// that revision, for the next pass alone, and written to the audit.
import {FelhomError} from '../../model/felhom-error.ts'
import type {SourceStanding} from '../../model/daemon.ts'
import {KeptSourceFiles} from '../../store/kept-source.ts'
import {toLock} from '../gate/gate-upkeep.ts'
import type {UpkeepRequest} from '../journal/journal-upkeep.ts'
import {withGateStores} from '../state/open-state.ts'
import {operatorAtHost} from '../gate/operator-at-host.ts'

export interface AcceptedRevision {
  readonly revision: string
  readonly place: string
  /** Why it was refused. */
  readonly reason: string
}

/** Enough of a digest that nobody types another by mistake. */
const LEAST_CHARACTERS = 8

/** `name`: the revision, or the beginning of it. The audit first: what is not in it has not happened. */
export async function acceptSource(request: UpkeepRequest, name: string): Promise<AcceptedRevision> {
  // Said at once, whoever holds the lock; and no state directory is made for it.
  findRefused(new KeptSourceFiles(request.settings.state), name)
  return withGateStores(toLock(request), async ({dir, audit}) => {
    const store = new KeptSourceFiles(dir)
    const accepted = findRefused(store, name)
    await audit.note({type: 'source_accepted', ...accepted, by: operatorAtHost()})
    store.writeAccepted(accepted.revision)
    return accepted
  })
}

function findRefused(store: KeptSourceFiles, name: string): AcceptedRevision {
  const {value, problem} = store.readNote()
  if (problem !== undefined) throw refuse(problem)
  const {
    refusedRevision: revision,
    place,
    problem: reason = '',
  }: Partial<SourceStanding> = value?.standing ?? {}
  if (revision === undefined || place === undefined)
    throw refuse('nothing that the source says waits to be accepted')
  if (!isMeant(name, revision)) throw refuse(`${name} is not what was refused: that is ${revision}`)
  return {revision, place, reason}
}

function isMeant(name: string, revision: string): boolean {
  if (name === revision) return true
  const [, digest = revision] = /^sha256:(.*)$/.exec(revision) ?? []
  const start = name.replace(/^sha256:/, '')
  return start.length >= LEAST_CHARACTERS && digest.startsWith(start)
}

const refuse = (message: string): FelhomError =>
  new FelhomError('usage', message, {
    hint: 'Look at it with: felhom source show',
    doubt: 'Nothing was changed.',
  })

// The use case behind `felhom daemon install`: what the units would say, what is there, and the writing of what was
// shown and approved. It starts nothing, makes no user, and changes no file that it did not show.
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {quoteForShell} from '../doctor/quote-for-shell.ts'
import {compareUnits, isChanged, writeUnits, type ComparedUnit} from './compare-units.ts'
import {gatherFacts, type FactsRequest} from './gather-facts.ts'
import {
  CONFIG_DIRECTORY,
  ONCE_PATH,
  renderUnits,
  SERVICE_PATH,
  UNIT_USER,
  type UnitFacts,
  type UnitKind,
} from './render-units.ts'

export interface PlannedUnits {
  readonly units: readonly ComparedUnit[]
  readonly facts: UnitFacts
  readonly hasChanges: boolean
  /** Name of a credential that the unit brings and that is not there yet. */
  readonly missingCredential: string | undefined
  readonly warnings: readonly string[]
}

export async function planUnits(request: FactsRequest, kind: UnitKind): Promise<PlannedUnits> {
  const {facts, warnings} = await gatherFacts(request)
  const units = compareUnits(renderUnits(kind, facts), request.prefix)
  return {
    units,
    facts,
    hasChanges: units.some(isChanged),
    missingCredential: findMissingCredential(request, facts),
    warnings: [
      ...warnings,
      ...warnOfMissingSettings(request, facts),
      ...warnOfMissingPlaces(request, facts),
      ...warnOfBoth(request, kind),
    ],
  }
}

export {writeUnits}

function findMissingCredential({prefix}: FactsRequest, {credential}: UnitFacts): string | undefined {
  if (credential === undefined) return undefined
  return existsSync(join(prefix, CONFIG_DIRECTORY, credential)) ? undefined : credential
}

function warnOfMissingSettings({prefix}: FactsRequest, {config}: UnitFacts): string[] {
  if (existsSync(join(prefix, config))) return []
  return [
    `${config} does not exist yet: the units are made for the default settings. Write it, then run this again.`,
  ]
}

/** For root to type. Outcomes are for an agent of the group to read; all else is for the user alone. */
export const makeDirectory = (path: string, outcomes: string | undefined): string =>
  `install -d -m ${path === outcomes ? 750 : 700} -o ${UNIT_USER} -g ${UNIT_USER} ${quoteForShell(path)}`

/** It is not felhom that could make them: a unit that names a directory which is not there is never started. */
const warnOfMissingPlaces = ({prefix}: FactsRequest, {writable, outcomes}: UnitFacts): string[] =>
  writable
    .filter((path) => !existsSync(join(prefix, path)))
    .map(
      (path) =>
        `${path} does not exist, and systemd starts no unit without it. When the user is made: ${makeDirectory(path, outcomes)}`,
    )

/** They take turns by the lock of the state directory: no harm, but nobody wants it. */
function warnOfBoth({prefix}: FactsRequest, kind: UnitKind): string[] {
  const [other, command] =
    kind === 'daemon'
      ? [ONCE_PATH, 'systemctl disable --now felhom-once.timer']
      : [SERVICE_PATH, 'systemctl disable --now felhom.service']
  return existsSync(join(prefix, other))
    ? [`${other} is installed too; one of the two is enough: ${command}`]
    : []
}

// Looks at the units of systemd, where they are installed: whether they are as felhom would write them, and whether
// what they rely on is there and is nobody else's.
import {lstatSync, readFileSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import {DiagnosticsError} from '../../model/diagnostics-error.ts'
import {gatherFacts} from '../systemd/gather-facts.ts'
import {makeDirectory} from '../systemd/install-units.ts'
import {findUnits, findUnitUid, type InstalledUnit} from '../systemd/installed-units.ts'
import {measureExposure} from '../systemd/measure-exposure.ts'
import {
  MOST_EXPOSURE,
  renderUnits,
  STATE_DIRECTORY,
  UNIT_USER,
  type UnitFacts,
} from '../systemd/render-units.ts'
import {quoteForShell} from './quote-for-shell.ts'

/** No finding where none is installed. `root`: `/` but for tests. */
export async function checkUnits(root = '/'): Promise<Finding[]> {
  const units = findUnits(root)
  if (units.length === 0) return []
  const looks = await Promise.all(units.map((unit) => checkUnit(unit, root)))
  // The file of the user belongs to both kinds of units.
  const findings = new Map(looks.flat().map((finding) => [finding.detail, finding]))
  return [...findings.values(), ...checkUser(root)]
}

type Trouble = Pick<Finding, 'detail' | 'advice' | 'commands'>

async function checkUnit(unit: InstalledUnit, root: string): Promise<Finding[]> {
  const base = {id: 'unit', title: 'systemd unit'}
  const exposure = await measureExposure(join(root, unit.path))
  const {facts, troubles: misfits} = await gatherAgain(unit, root)
  const troubles = [
    ...findMissingProgram(unit, root),
    ...misfits,
    ...(facts ? findDrift(unit, facts, root) : []),
    ...findExposure(unit, exposure),
    ...findMissingPlaces(unit, facts?.outcomes, root),
    ...unit.credentials.flatMap(({path}) => findLooseCredential(path, root)),
  ]
  if (troubles.length > 0) return troubles.map((trouble) => ({...base, verdict: 'mend', ...trouble}))
  const drops = unit.dropIns.length === 0 ? '' : `; with your own lines in ${unit.dropIns.join(', ')}`
  const exposed = exposure === undefined ? '' : `, exposure ${exposure.toFixed(1)}`
  return [{...base, verdict: 'ok', detail: `${unit.path}${exposed}${drops}`}]
}

/** The words before the name of the command are files. */
const filesOf = ({command}: InstalledUnit): readonly string[] => command.slice(0, command.indexOf('daemon'))

function findMissingProgram(unit: InstalledUnit, root: string): Trouble[] {
  const gone = filesOf(unit).find((file) => isGone(join(root, file)))
  if (gone === undefined) return []
  return [{detail: `${unit.path} starts ${gone}, which is not there`, commands: ['felhom daemon install']}]
}

/** With the files that belong to it: its timer, and who its user is. */
function findDrift(unit: InstalledUnit, facts: UnitFacts, root: string): Trouble[] {
  const timer = unit.kind === 'timer' ? ' --timer' : ''
  return renderUnits(unit.kind, facts)
    .map(({path, text}) => ({path, how: compare(text, path === unit.path ? unit.text : read(root, path))}))
    .filter(({how}) => how !== undefined)
    .map(({path, how = ''}) => ({
      detail: `${path} ${how}`,
      advice: 'Look at the difference. Lines of your own belong in a drop-in (systemctl edit).',
      commands: [
        `felhom daemon install${timer} --dry-run`,
        `felhom daemon install${timer}`,
        'systemctl daemon-reload',
      ],
    }))
}

function compare(wanted: string, found: string | undefined): string | undefined {
  if (found === undefined) return 'is not there'
  return withoutStart(wanted) === withoutStart(found) ? undefined : 'is not as felhom would write it now'
}

/** Another felhom than the one that asks may be installed: what it starts is not compared. */
const withoutStart = (text: string): string => text.replaceAll(/^ExecStart=.*$/gm, '')

/** undefined: it is not there, or masked. */
function read(root: string, path: string): string | undefined {
  const place = join(root, path)
  return lstatSync(place, {throwIfNoEntry: false})?.isFile() === true
    ? readFileSync(place, 'utf8')
    : undefined
}

/** Neither: the settings hold mistakes, which is said elsewhere, or are not for this user to look at. */
async function gatherAgain(
  {path, command}: InstalledUnit,
  root: string,
): Promise<{facts?: UnitFacts; troubles: Trouble[]}> {
  const config = command[command.indexOf('--config') + 1] ?? ''
  if (isShut(join(root, config))) return {troubles: []}
  const request = {packageRoot: '/', program: '/usr/bin/felhom', config, prefix: root}
  try {
    return {facts: (await gatherFacts(request)).facts, troubles: []}
  } catch (error) {
    if (error instanceof DiagnosticsError) return {troubles: []}
    if (!isFelhomError(error, 'usage')) throw error
    const {message, hint} = error
    return {
      troubles: [{detail: `${path}: ${message}`, ...(hint !== undefined && {advice: hint})}],
    }
  }
}

function findExposure({path}: InstalledUnit, exposure: number | undefined): Trouble[] {
  if (exposure === undefined || exposure <= MOST_EXPOSURE) return []
  const detail = `${path} has an exposure of ${exposure.toFixed(1)}, more than ${MOST_EXPOSURE}`
  return [{detail, commands: [`systemd-analyze security --offline=yes ${path}`]}]
}

function findMissingPlaces(
  {path, writable}: InstalledUnit,
  outcomes: string | undefined,
  root: string,
): Trouble[] {
  return writable
    .filter((place) => isGone(join(root, place)))
    .map((place) => ({
      detail: `${path} writes to ${place}, which is not there: systemd does not start it`,
      commands: [makeDirectory(place, outcomes)],
    }))
}

/** What this user may not look into may be there, and well. */
const isGone = (path: string): boolean => faultOf(path) === 'ENOENT'
const isShut = (path: string): boolean => faultOf(path) === 'EACCES'

function faultOf(path: string): string | undefined {
  try {
    statSync(path)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code
  }
}

function findLooseCredential(path: string, root: string): Trouble[] {
  if (isShut(join(root, path))) return []
  const stat = lstatSync(join(root, path), {throwIfNoEntry: false})
  const word = quoteForShell(path)
  if (!stat)
    return [
      {
        detail: `the credential ${path} does not exist`,
        advice: 'Put the API token into it (user@realm!id=secret, then Ctrl-D):',
        commands: [`install -m 600 /dev/stdin ${word}`],
      },
    ]
  if (stat.isFile() && stat.uid === 0 && (stat.mode & 0o077) === 0) return []
  return [
    {
      detail: `the credential ${path} is not root's alone`,
      commands: [`chown root:root ${word}`, `chmod 600 ${word}`],
    },
  ]
}

function checkUser(root: string): Finding[] {
  const base = {id: 'unit', title: 'systemd unit', verdict: 'mend' as const}
  const uid = findUnitUid(root)
  if (uid === undefined)
    return [
      {...base, detail: `there is no user ${UNIT_USER}, as whom it runs`, commands: ['systemd-sysusers']},
    ]
  const stat = lstatSync(join(root, STATE_DIRECTORY), {throwIfNoEntry: false})
  if (!stat || (stat.uid === uid && (stat.mode & 0o077) === 0)) return []
  return [
    {
      ...base,
      detail: `${STATE_DIRECTORY} is not the user ${UNIT_USER}'s alone`,
      commands: [`chown -R ${UNIT_USER}: ${STATE_DIRECTORY}`, `chmod 700 ${STATE_DIRECTORY}`],
    },
  ]
}

// Looks at everything felhom depends on and says what to mend. It reads only, and goes on after a failure as
// far as it can: one answer that hides three others is no help.
import type {ActualCluster} from '../../model/actual.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import type {LoadedSettings} from '../../settings/load-settings.ts'
import {openProxmox, type ProxmoxAccess} from '../compose.ts'
import {checkClock, checkGuests, checkNodes, checkQuorum} from './check-cluster.ts'
import {checkDaemon} from './check-daemon.ts'
import {checkGateLogs} from './check-gate-logs.ts'
import {checkJournal} from './check-journal.ts'
import {belongsToDaemon, checkSettings, checkStateDirectory, checkToken} from './check-files.ts'
import {checkPrivileges, type Purpose} from './check-privileges.ts'
import {checkSuspensions} from './check-suspensions.ts'
import {checkUnits} from './check-units.ts'
import {borrowCredential} from './borrow-credential.ts'

export type {Purpose}

/** What felhom keeps itself, and what runs it: nothing in it is needed to look at Proxmox. */
const KEPT = ['state', 'journal', 'gate', 'suspensions', 'daemon', 'unit']

export async function runDoctor(
  loaded: LoadedSettings,
  given: NodeJS.ProcessEnv,
  purpose: Purpose,
  now: () => number,
): Promise<Finding[]> {
  const env = borrowCredential(loaded.settings.token, given)
  const local = [
    checkSettings(loaded),
    ...(await checkKept(loaded.settings.state, now())),
    ...checkDaemon(loaded),
    ...(await checkUnits()),
    checkToken(loaded.settings.token, env),
  ]
  if (local.some((f) => f.verdict === 'mend' && !KEPT.includes(f.id))) return withSkipped(local, 'see above')
  let access: ProxmoxAccess
  try {
    access = await openProxmox(loaded.settings, env)
  } catch (error) {
    return withSkipped([...local, failed('endpoint', error)], 'no connection')
  }
  try {
    return await lookAtProxmox(access, local, purpose, now)
  } finally {
    await access.close()
  }
}

/** What is in the daemon's own directory is for its user to see. */
async function checkKept(state: string, nowMs: number): Promise<Finding[]> {
  const directory = checkStateDirectory(state)
  if (belongsToDaemon(state)) return [directory]
  return [
    directory,
    ...(await checkJournal(state)),
    ...(await checkGateLogs(state)),
    ...checkSuspensions(state, nowMs),
  ]
}

async function lookAtProxmox(
  access: ProxmoxAccess,
  local: Finding[],
  purpose: Purpose,
  now: () => number,
): Promise<Finding[]> {
  const {reader, tokenId, endpoint} = access
  let version: string
  try {
    ;({version} = await reader.version())
  } catch (error) {
    return withSkipped(unanswered(local, endpoint, error), 'no answer')
  }
  const greeting = ok('endpoint', `${endpoint} is Proxmox VE ${version}`)
  const privileges = await examine('privileges', async () =>
    checkPrivileges(await reader.permissions(), tokenId, purpose),
  )
  return withSkipped([...local, greeting, privileges, ...(await lookAtCluster(access, now))], 'no answer')
}

/** Whoever is refused for his token has found the right place: then the token is to mend. */
function unanswered(local: Finding[], endpoint: string, error: unknown): Finding[] {
  if (!isFelhomError(error, 'unauthorized')) return [...local, failed('endpoint', error)]
  const others = local.filter((f) => f.id !== 'token')
  return [...others, failed('token', error), ok('endpoint', `${endpoint} answers, and is trusted`)]
}

async function lookAtCluster({reader}: ProxmoxAccess, now: () => number): Promise<Finding[]> {
  let cluster: ActualCluster
  try {
    cluster = await reader.readCluster()
  } catch (error) {
    return [failed('guests', error)]
  }
  const online = cluster.nodes.find((n) => n.online)
  const clock = online ? [await lookAtClock(reader, online.name, now)] : []
  return [checkQuorum(cluster), checkNodes(cluster), checkGuests(cluster), ...clock]
}

async function lookAtClock(
  reader: ProxmoxAccess['reader'],
  node: string,
  now: () => number,
): Promise<Finding> {
  const before = now()
  try {
    const nodeMs = await reader.nodeTimeMs(node)
    return checkClock(nodeMs, before, now())
  } catch (error) {
    const {title, detail} = failed('clock', error)
    return {id: 'clock', title, verdict: 'note', detail: `could not be compared: ${detail}`}
  }
}

const TITLES = {
  token: 'API token',
  endpoint: 'Endpoint and TLS',
  privileges: 'Privileges',
  quorum: 'Quorum',
  nodes: 'Nodes',
  guests: 'Guests',
  clock: 'Clock',
} as const

type Step = keyof typeof TITLES

const REMOTE: readonly Step[] = ['endpoint', 'privileges', 'quorum', 'nodes', 'guests', 'clock']

const ok = (id: Step, detail: string): Finding => ({id, title: TITLES[id], verdict: 'ok', detail})

async function examine(id: Step, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look()
  } catch (error) {
    return failed(id, error)
  }
}

function failed(id: Step, error: unknown): Finding {
  if (!(error instanceof FelhomError)) throw error
  return {
    id,
    title: TITLES[id],
    verdict: 'mend',
    detail: error.message,
    ...(error.hint !== undefined && {advice: error.hint}),
  }
}

/** All that doctor looks at, in its order: what has no finding could not be looked at. */
function withSkipped(findings: Finding[], detail: string): Finding[] {
  const own = findings.filter((f) => !REMOTE.some((id) => id === f.id))
  const remote = REMOTE.map(
    (id): Finding => findings.find((f) => f.id === id) ?? {id, title: TITLES[id], verdict: 'skipped', detail},
  )
  return [...own, ...remote]
}

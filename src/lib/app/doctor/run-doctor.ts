// Looks at everything felhom depends on and says what to mend. It reads only, and goes on after a failure as
// far as it can: one answer that hides three others is no help.
import {FelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import type {LoadedSettings} from '../../settings/load-settings.ts'
import {openProxmox, type ProxmoxAccess} from '../compose.ts'
import {checkClock, checkGuests, checkNodes, checkQuorum} from './check-cluster.ts'
import {checkSettings, checkStateDirectory, checkToken} from './check-files.ts'
import {checkPrivileges, type Purpose} from './check-privileges.ts'

export type {Purpose}

export async function runDoctor(
  loaded: LoadedSettings,
  env: NodeJS.ProcessEnv,
  purpose: Purpose,
  now: () => number,
): Promise<Finding[]> {
  const findings = [
    checkSettings(loaded),
    checkStateDirectory(loaded.settings.state),
    checkToken(loaded.settings.token, env),
  ]
  if (findings.some((f) => f.verdict === 'mend' && f.id !== 'state'))
    return [...findings, ...skipped('see above')]
  let access: ProxmoxAccess
  try {
    access = await openProxmox(loaded.settings, env)
  } catch (error) {
    return [...findings, failed('endpoint', 'Endpoint and TLS', error), ...skipped('no connection').slice(1)]
  }
  try {
    return [...findings, ...(await lookAtProxmox(access, purpose, now))]
  } finally {
    await access.close()
  }
}

async function lookAtProxmox(access: ProxmoxAccess, purpose: Purpose, now: () => number): Promise<Finding[]> {
  const {reader, tokenId, endpoint} = access
  const findings: Finding[] = []
  try {
    const {version} = await reader.version()
    findings.push({
      id: 'endpoint',
      title: 'Endpoint and TLS',
      verdict: 'ok',
      detail: `${endpoint} is Proxmox VE ${version}`,
    })
  } catch (error) {
    return [failed('endpoint', 'Endpoint and TLS', error), ...skipped('no answer').slice(1)]
  }
  try {
    findings.push(checkPrivileges(await reader.permissions(), tokenId, purpose))
    const cluster = await reader.readCluster()
    findings.push(checkQuorum(cluster), checkNodes(cluster), checkGuests(cluster))
    const online = cluster.nodes.find((n) => n.online)
    if (online) findings.push(await lookAtClock(access, online.name, now))
  } catch (error) {
    findings.push(failed('guests', 'Guests', error))
  }
  return findings
}

async function lookAtClock({reader}: ProxmoxAccess, node: string, now: () => number): Promise<Finding> {
  const before = now()
  try {
    const nodeMs = await reader.nodeTimeMs(node)
    return checkClock(nodeMs, before, now())
  } catch (error) {
    if (!(error instanceof FelhomError)) throw error
    return {id: 'clock', title: 'Clock', verdict: 'note', detail: `could not be compared: ${error.message}`}
  }
}

function failed(id: string, title: string, error: unknown): Finding {
  if (!(error instanceof FelhomError)) throw error
  return {
    id,
    title,
    verdict: 'mend',
    detail: error.message,
    ...(error.hint !== undefined && {advice: error.hint}),
  }
}

const REMOTE = [
  ['endpoint', 'Endpoint and TLS'],
  ['privileges', 'Privileges'],
  ['quorum', 'Quorum'],
  ['nodes', 'Nodes'],
  ['guests', 'Guests'],
  ['clock', 'Clock'],
] as const

const skipped = (detail: string): Finding[] =>
  REMOTE.map(([id, title]) => ({id, title, verdict: 'skipped', detail}))

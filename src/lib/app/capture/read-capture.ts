// Reads a capture back as live state, for planning without a connection. A capture is a file from outside and
// is checked before anything in it is believed.
import {resolve} from 'node:path'
import type {ActualCluster, ActualGuest} from '../../model/actual.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {isNodeName, isVmid} from '../../model/guest.ts'
import {readJsonFile, type Refuse} from '../read-json-file.ts'

export function readCapture(cwd: string, file: string): ActualCluster {
  const path = resolve(cwd, file)
  const json = readJsonFile(path, refuse)
  if (!isObject(json) || json['felhomCapture'] !== 1)
    throw refuse(path, "it is not a file that 'felhom capture' wrote")
  const {cluster} = json
  if (!isObject(cluster)) throw refuse(path, 'it holds no cluster')
  const {nodes, guests, completeness, notes} = cluster
  if (!Array.isArray(nodes) || !Array.isArray(guests) || !isObject(completeness) || !Array.isArray(notes)) {
    throw refuse(path, 'nodes, guests, completeness or notes is missing')
  }
  if (!(nodes as unknown[]).every(isNode)) throw refuse(path, 'a node is not a node as felhom writes it')
  if (!isPrivileges(cluster['privileges'])) throw refuse(path, 'privileges are not as felhom writes them')
  const {quorum} = cluster
  if (!QUORUM.has(quorum) || !isCompleteness(completeness))
    throw refuse(path, 'quorum or completeness is not as felhom writes it')
  for (const [i, guest] of (guests as unknown[]).entries()) {
    if (!isGuest(guest)) throw refuse(path, `guests[${i}] is not a guest as felhom writes it`)
  }
  return cluster as unknown as ActualCluster
}

const refuse: Refuse = (path, why, cause) =>
  new FelhomError('usage', `the capture ${path} cannot be used: ${why}`, {
    cause,
    hint: 'Make one with: felhom capture --out FILE',
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isNode(value: unknown): boolean {
  if (!isObject(value)) return false
  const {name, online, listed} = value
  return (
    typeof name === 'string' && isNodeName(name) && typeof online === 'boolean' && typeof listed === 'boolean'
  )
}

const isPrivileges = (value: unknown): boolean =>
  value === undefined || (isObject(value) && Object.values(value).every(isObject))

function isPending(value: unknown): boolean {
  if (!isObject(value) || typeof value['option'] !== 'string') return false
  return value['kind'] === 'set' ? typeof value['value'] === 'string' : value['kind'] === 'delete'
}

const RUN_STATES = new Set<unknown>(['running', 'stopped', 'paused', 'unknown'])

const QUORUM = new Set<unknown>(['quorate', 'lost', 'standalone', 'unknown'])

function isCompleteness({complete, reasons}: Record<string, unknown>): boolean {
  if (complete === true) return true
  const isReason = (value: unknown): boolean =>
    isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  return complete === false && Array.isArray(reasons) && (reasons as unknown[]).every(isReason)
}

function isGuest(value: unknown): value is ActualGuest {
  if (!isObject(value)) return false
  const {kind, vmid, node, run, config, ha, tags} = value
  if ((kind !== 'lxc' && kind !== 'qemu') || typeof vmid !== 'number' || !isVmid(vmid)) return false
  if (typeof node !== 'string' || !isNodeName(node) || !RUN_STATES.has(run) || !Array.isArray(tags))
    return false
  if (!isObject(ha) || !isObject(config)) return false
  const {name, lock, template} = value
  const isText = (text: unknown): boolean => text === undefined || typeof text === 'string'
  if (!isText(name) || !isText(lock) || typeof template !== 'boolean') return false
  if (config['known'] === false) return typeof config['reason'] === 'string'
  const {current, pending, digest} = config
  return (
    isObject(current) &&
    Object.values(current).every((v) => typeof v === 'string') &&
    Array.isArray(pending) &&
    (pending as unknown[]).every(isPending) &&
    typeof digest === 'string'
  )
}

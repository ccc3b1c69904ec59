// Reads a capture back as live state, for planning without a connection. A capture is a file from outside and
// is checked before anything in it is believed.
import {readFileSync} from 'node:fs'
import {resolve} from 'node:path'
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {isNodeName, isVmid} from '../model/guest.ts'

export function readCapture(cwd: string, file: string): ActualCluster {
  const path = resolve(cwd, file)
  const json = parse(path)
  if (!isObject(json) || json['felhomCapture'] !== 1)
    throw refuse(path, "it is not a file that 'felhom capture' wrote")
  const {cluster} = json
  if (!isObject(cluster)) throw refuse(path, 'it holds no cluster')
  const {nodes, guests, completeness, notes} = cluster
  if (!Array.isArray(nodes) || !Array.isArray(guests) || !isObject(completeness) || !Array.isArray(notes)) {
    throw refuse(path, 'nodes, guests, completeness or notes is missing')
  }
  for (const [i, guest] of (guests as unknown[]).entries()) {
    if (!isGuest(guest)) throw refuse(path, `guests[${i}] is not a guest as felhom writes it`)
  }
  return cluster as unknown as ActualCluster
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refuse(path, (error as Error).message, error)
  }
}

const refuse = (path: string, why: string, cause?: unknown): FelhomError =>
  new FelhomError('usage', `the capture ${path} cannot be used: ${why}`, {
    cause,
    hint: 'Make one with: felhom capture --out FILE',
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const RUN_STATES = new Set<unknown>(['running', 'stopped', 'paused', 'unknown'])

function isGuest(value: unknown): value is ActualGuest {
  if (!isObject(value)) return false
  const {kind, vmid, node, run, config, ha, tags} = value
  if ((kind !== 'lxc' && kind !== 'qemu') || typeof vmid !== 'number' || !isVmid(vmid)) return false
  if (typeof node !== 'string' || !isNodeName(node) || !RUN_STATES.has(run) || !Array.isArray(tags))
    return false
  if (!isObject(ha) || !isObject(config)) return false
  if (config['known'] === false) return typeof config['reason'] === 'string'
  const {current, pending, digest} = config
  return (
    isObject(current) &&
    Object.values(current).every((v) => typeof v === 'string') &&
    Array.isArray(pending) &&
    typeof digest === 'string'
  )
}

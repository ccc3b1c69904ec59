// Seeds for the sandbox: the recorded one, and others made from it for a test.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const RECORDED_SEED = fileURLToPath(new URL('../fixtures/pve/scenarios/seed.json', import.meta.url))

export interface SeedGuest {
  kind: 'lxc' | 'qemu'
  vmid: number
  rawConfig: string
  state: string
  [field: string]: unknown
}

export interface Seed {
  nodes: string[]
  clusterStatus: Record<string, unknown>[]
  guests: SeedGuest[]
  [field: string]: unknown
}

/** Writes the recorded seed with changes to a file in `dir`. */
export function writeSeed(dir: string, change: (seed: Seed) => void): string {
  const seed = JSON.parse(readFileSync(RECORDED_SEED, 'utf8')) as Seed
  change(seed)
  const file = join(dir, 'seed.json')
  writeFileSync(file, JSON.stringify(seed))
  return file
}

/** A further guest of the recorded kind, without disks or network, stopped. */
export const addGuest = (seed: Seed, kind: 'lxc' | 'qemu', vmid: number, rawConfig: string): void => {
  const model = seed.guests.find((g) => g.kind === kind && g.state === 'stopped')
  if (!model) throw new Error(`the recorded seed has no stopped ${kind}`)
  seed.guests.push({...structuredClone(model), vmid, rawConfig})
}

/** Two nodes that form a cluster; all guests are on the first. */
export const addSecondNode = (seed: Seed): void => {
  seed.nodes.push('pve2')
  seed.clusterStatus.push(
    {type: 'cluster', id: 'cluster', name: 'lab', nodes: 2, quorate: 1, version: 2},
    {
      type: 'node',
      id: 'node/pve2',
      name: 'pve2',
      nodeid: 2,
      online: 1,
      local: 0,
      ip: '192.0.2.11',
      level: '',
    },
  )
}

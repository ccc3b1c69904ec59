// One felhom process from its beginning to its end, whatever that is. An end that no trouble explains is a mistake.
import {FelhomError} from '../../src/lib/model/felhom-error.ts'
import {applyPass, type PassResult} from './apply-pass.ts'
import type {ProcessLife} from './process-life.ts'
import {calmWeather} from './weather.ts'
import type {World} from './world.ts'

/** Errors with which a process may honestly end. */
const HONEST = new Set([
  'journal_failed',
  'unreachable',
  'connection_lost',
  'timeout',
  'bad_answer',
  'gateway_failed',
  'gateway_timeout',
  'node_unreachable',
  'proxmox_error',
  'no_quorum',
  'forbidden',
])
const BETWEEN_PASSES_MS = 30_000

/** Resolves when it has ended; undefined: not with a whole pass. */
export async function runProcess(world: World, passes: number): Promise<PassResult | undefined> {
  const life = world.newProcess()
  world.trace(() => `  felhom ${String(life.id)}: begins`)
  world.oracle.count('process')
  const died = life.died.then((cause) => {
    world.oracle.count(`death by ${cause}`)
    return undefined
  })
  const result = await Promise.race([makePasses(world, life, passes), died])
  world.processEnds(life)
  return result
}

async function makePasses(world: World, life: ProcessLife, passes: number): Promise<PassResult | undefined> {
  let result: PassResult | undefined
  try {
    for (let pass = 0; pass < passes; pass++) {
      if (pass > 0) await life.step('pause', () => world.clock.sleep(BETWEEN_PASSES_MS))
      result = await applyPass(world, life)
      world.oracle.count('pass')
    }
  } catch (error) {
    judgeEnd(world, error)
    return undefined
  }
  return result
}

export function judgeEnd(world: World, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  world.trace(() => `  felhom ends: ${text}`)
  const code = error instanceof FelhomError ? error.code : 'none'
  world.oracle.count(`error ${code}`)
  if (HONEST.has(code) && !(code === 'journal_failed' && world.weather === calmWeather)) return
  if (code === 'journal_corrupt' && (world.isJournalDamaged || world.mayLookDamaged)) {
    world.isJournalDamaged = true
    return
  }
  world.oracle.violate(code === 'journal_corrupt' ? 'G2' : 'bug', text)
}

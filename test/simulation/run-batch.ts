// A batch of work for one core: some seeds, or all points at which one operation can be cut.
import {choosePoints, OUTCOMES, runCrashCase, type CrashPoint} from './crash-case.ts'
import {CRASH_CASES} from './crash-cases.ts'
import {runDays} from './daemon-life.ts'
import {WRONG_DAEMONS} from './daemon-policies.ts'
import {runQuiet} from './daemon-quiet.ts'
import type {Steady} from './daemon-steady.ts'
import {WRONG_POLICIES} from './policies.ts'
import {runLife} from './run-life.ts'

export type Batch =
  | {readonly kind: 'seeds'; readonly from: number; readonly count: number; readonly policy?: string}
  | {readonly kind: 'crashes'; readonly caseIndex: number}
  | {
      readonly kind: 'days'
      readonly seed: number
      readonly days: number
      readonly hoursPerDay?: number
      readonly policy?: string
    }
  | {readonly kind: 'quiet'; readonly days: number; readonly policy?: string}

export interface Broken {
  /** A seed, or the name of a crash point. */
  readonly where: string
  readonly seed?: number
  readonly troubles: readonly string[]
  readonly violations: readonly {readonly promise: string; readonly message: string}[]
}

export interface BatchResult {
  readonly lives: number
  readonly broken: readonly Broken[]
  readonly counts: ReadonlyMap<string, number>
  /** Of days: one an hour. */
  readonly samples?: readonly Steady[]
}

export function runBatch(batch: Batch): Promise<BatchResult> {
  switch (batch.kind) {
    case 'seeds':
      return runSeeds(batch)
    case 'crashes':
      return runCrashes(batch.caseIndex)
    case 'days':
      return runDaemonDays(batch)
    case 'quiet':
      return runQuietDays(batch)
  }
}

async function runDaemonDays(batch: Extract<Batch, {kind: 'days'}>): Promise<BatchResult> {
  const {policy, ...choice} = batch
  const wrong = policy === undefined ? undefined : WRONG_DAEMONS[policy]
  const {seed, violations, counts, samples} = await runDays({...choice, ...(wrong && {policy: wrong})})
  const where = `day of seed ${seed}`
  return {lives: 1, broken: violations.length > 0 ? [{where, troubles: [], violations}] : [], counts, samples}
}

async function runQuietDays({days, policy}: Extract<Batch, {kind: 'quiet'}>): Promise<BatchResult> {
  const wrong = policy === undefined ? undefined : WRONG_DAEMONS[policy]
  const {passes, violations, samples} = await runQuiet({days, ...(wrong && {policy: wrong})})
  const broken = violations.length > 0 ? [{where: 'quiet days', troubles: [], violations}] : []
  return {lives: 1, broken, counts: new Map([['pass', passes]]), samples}
}

async function runSeeds({from, count, policy}: Extract<Batch, {kind: 'seeds'}>): Promise<BatchResult> {
  const broken: Broken[] = []
  const counts = new Map<string, number>()
  const wrong = policy === undefined ? undefined : WRONG_POLICIES[policy]
  for (let seed = from; seed < from + count; seed++) {
    const {violations, troubles, counts: own} = await runLife({seed, ...(wrong && {policy: wrong})})
    addCounts(counts, own)
    if (violations.length > 0) broken.push({where: `seed ${seed}`, seed, troubles, violations})
  }
  return {lives: count, broken, counts}
}

async function runCrashes(caseIndex: number): Promise<BatchResult> {
  const crash = CRASH_CASES[caseIndex]
  if (!crash) throw new Error('there is no such case')
  const broken: Broken[] = []
  const counts = new Map<string, number>()
  let lives = 0
  const live = async (point: CrashPoint): Promise<readonly string[]> => {
    const {violations, boundaries, counts: own} = await runCrashCase(crash, point)
    lives++
    addCounts(counts, own)
    const at = point.at === undefined ? 'not' : `at ${point.at} (${boundaries[point.at] ?? ''})`
    const again = point.killsRecovery === true ? ', recovery killed again and again' : ''
    const where = `${crash.name}, ${point.outcome}, ${point.death} ${at}${again}`
    if (violations.length > 0) broken.push({where, troubles: [], violations})
    return boundaries
  }
  for (const outcome of OUTCOMES) {
    const boundaries = await live({outcome, at: undefined, death: 'crash'})
    for (const at of choosePoints(boundaries))
      await live({outcome, at, death: at % 2 === 0 ? 'crash' : 'power loss'})
    const sent = boundaries.findIndex((label) => /^before (?:PUT|POST|DELETE)/.test(label)) + 1
    await live({outcome, at: sent, death: 'crash', killsRecovery: true})
  }
  return {lives, broken, counts}
}

export function addCounts(to: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [what, times] of from) to.set(what, (to.get(what) ?? 0) + times)
}

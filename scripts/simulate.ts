// Lives of felhom in bad weather, and whether it kept its promises.
//
//   npm run simulate -- --seeds 100000 [--from 1]   as many lives, on all cores
//   npm run simulate -- --seed 547 [--verbose]      one of them again, told line by line
//   npm run simulate -- --crashes                   every point at which an operation can be cut
//   npm run simulate -- --policy 'no freeze'        a wrong way of doing it, which must be caught
import {parseArgs} from 'node:util'
import {CRASH_CASES} from '../test/simulation/crash-cases.ts'
import {WRONG_POLICIES} from '../test/simulation/policies.ts'
import type {Batch} from '../test/simulation/run-batch.ts'
import {runLife} from '../test/simulation/run-life.ts'
import {runParallel, seedBatches} from '../test/simulation/run-parallel.ts'
import {tellBroken} from '../test/simulation/tell-broken.ts'

const {values} = parseArgs({
  options: {
    seeds: {type: 'string', default: '2000'},
    from: {type: 'string', default: '1'},
    seed: {type: 'string'},
    policy: {type: 'string'},
    crashes: {type: 'boolean', default: false},
    verbose: {type: 'boolean', default: false},
  },
})

const TOLD = 3
const started = performance.now()
if (values.policy !== undefined && !(values.policy in WRONG_POLICIES))
  throw new Error(`the wrong policies are: ${Object.keys(WRONG_POLICIES).join(', ')}`)
process.exitCode = (await (values.seed === undefined ? liveMany() : liveOne(Number(values.seed)))) ? 0 : 1

async function liveOne(seed: number): Promise<boolean> {
  const policy = values.policy === undefined ? undefined : WRONG_POLICIES[values.policy]
  const trace = (line: string): void => {
    console.log(line)
  }
  const {violations, troubles} = await runLife({
    seed,
    ...(policy && {policy}),
    ...(values.verbose && {trace}),
  })
  console.log(`seed ${seed}: ${troubles.length === 0 ? 'fair weather' : troubles.join(', ')}`)
  for (const {promise, message} of violations) console.log(`  ${promise}: ${message}`)
  if (violations.length === 0) console.log('  every promise was kept')
  return violations.length === 0
}

async function liveMany(): Promise<boolean> {
  const batches: Batch[] = values.crashes
    ? CRASH_CASES.map((_, caseIndex) => ({kind: 'crashes', caseIndex}))
    : seedBatches(Number(values.from), Number(values.seeds), values.policy)
  let lives = 0
  let toldMs = started
  const {broken, counts} = await runParallel(batches, (result) => {
    lives += result.lives
    if (process.stderr.isTTY && performance.now() - toldMs > 1000) {
      toldMs = performance.now()
      process.stderr.write(`\r${lives} lives`)
    }
    return values.policy === undefined || result.broken.length === 0
  })
  const seconds = (performance.now() - started) / 1000
  for (const [what, times] of [...counts].sort()) console.log(`${String(times).padStart(9)} ${what}`)
  for (const one of broken.slice(0, TOLD)) console.log(`\n${await tellBroken(one, values.policy)}`)
  for (const {where, violations} of broken.slice(TOLD)) {
    const [first] = violations
    console.log(`${where}: ${first ? `${first.promise}: ${first.message.slice(0, 200)}` : ''}`)
  }
  const rate = Math.round((lives / seconds) * 60).toLocaleString('en')
  console.log(
    `\n${lives} lives in ${seconds.toFixed(1)} s (${rate} a minute), ${broken.length} broke a promise`,
  )
  return broken.length === 0
}

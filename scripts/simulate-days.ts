// Days of the daemon on virtual time, with faults, and whether it kept its promises.
//
//   npm run soak -- --days 30 [--seed 9]    a month of one daemon, told day by day
//   npm run soak -- --quiet --days 30       a month in which nothing happens
//   npm run soak -- --seeds 20 [--from 1]   as many single days, on all cores
//   npm run soak -- --seed 9 --verbose      one of them again, told line by line
import {parseArgs} from 'node:util'
import {runDays} from '../test/simulation/daemon-life.ts'
import {runQuiet} from '../test/simulation/daemon-quiet.ts'
import {judgeGrowth, type Steady} from '../test/simulation/daemon-steady.ts'
import {runParallel} from '../test/simulation/run-parallel.ts'

const {values} = parseArgs({
  options: {
    days: {type: 'string', default: '1'},
    hours: {type: 'string', default: '24'},
    seed: {type: 'string', default: '9'},
    seeds: {type: 'string'},
    from: {type: 'string', default: '1'},
    quiet: {type: 'boolean', default: false},
    verbose: {type: 'boolean', default: false},
  },
})

const MIB = 2 ** 20
const MOST_GROWTH_BYTES = 3 * MIB
/** Code is compiled for hours before it is settled which of it is hot. */
const WARM_UP_HOURS = 24
const started = performance.now()
const days = Number(values.days)

Error.stackTraceLimit = values.verbose ? 20 : 0
const isWell = await (values.seeds === undefined ? (values.quiet ? liveQuietly() : liveLong()) : liveMany())
process.exitCode = isWell ? 0 : 1

async function liveLong(): Promise<boolean> {
  const seed = Number(values.seed)
  const {violations, counts, samples} = await runDays({
    ...{seed, days, hoursPerDay: Number(values.hours)},
    ...(values.verbose && {trace: (line: string) => console.log(line)}),
    onDay: (day) => {
      const seconds = (performance.now() - started) / 1000
      console.error(`day ${day} of seed ${seed} has passed, after ${seconds.toFixed(0)} s`)
    },
  })
  tellCounts(counts)
  const isSteady = tellGrowth(samples)
  tellViolations(`seed ${seed}`, violations)
  return violations.length === 0 && isSteady
}

async function liveQuietly(): Promise<boolean> {
  const {passes, violations, samples, bytes} = await runQuiet({days})
  console.log(`${passes} passes; the logs had ${bytes[0]} bytes and have ${bytes[1]}`)
  const isSteady = tellGrowth(samples)
  tellViolations('quiet days', violations)
  return violations.length === 0 && isSteady
}

async function liveMany(): Promise<boolean> {
  const from = Number(values.from)
  const batches = Array.from({length: Number(values.seeds)}, (_, i) => ({
    ...{kind: 'days' as const, seed: from + i, days, hoursPerDay: Number(values.hours)},
  }))
  const {lives, broken, counts} = await runParallel(batches)
  tellCounts(counts)
  for (const {where, violations} of broken) tellViolations(where, violations)
  console.log(`${lives} days, ${broken.length} broke a promise`)
  return broken.length === 0
}

function tellCounts(counts: ReadonlyMap<string, number>): void {
  for (const [what, times] of [...counts].sort()) console.log(`${String(times).padStart(9)} ${what}`)
}

function tellGrowth(samples: readonly Steady[]): boolean {
  const warm = samples.length > 2 * WARM_UP_HOURS ? samples.slice(WARM_UP_HOURS) : samples.slice(4)
  const {firstBytes, lastBytes, heapBytes, descriptors} = judgeGrowth(warm)
  const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`
  console.log(`heap ${mib(firstBytes)} in the first third, ${mib(lastBytes)} in the last`)
  console.log(`descriptors: ${descriptors} more`)
  return heapBytes < MOST_GROWTH_BYTES && descriptors < 3
}

function tellViolations(where: string, violations: readonly {promise: string; message: string}[]): void {
  for (const {promise, message} of violations) console.log(`${where}: ${promise}: ${message}`)
  if (violations.length === 0) console.log(`${where}: every promise was kept`)
}

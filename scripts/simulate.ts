// npm run simulate -- --seeds N [--from S]: lives of felhom in bad weather, one per seed, and what they broke.
// npm run simulate -- --seed S --verbose: one of them again, told line by line.
import {parseArgs} from 'node:util'
import {runLife} from '../test/simulation/run-life.ts'

const {values} = parseArgs({
  options: {
    seeds: {type: 'string', default: '2000'},
    from: {type: 'string', default: '1'},
    seed: {type: 'string'},
    verbose: {type: 'boolean', default: false},
  },
})
const from = Number(values.seed ?? values.from)
const seeds = values.seed === undefined ? Number(values.seeds) : 1
const t0 = performance.now()
const counts = new Map<string, number>()
let bad = 0
for (let seed = from; seed < from + seeds; seed++) {
  const result = await runLife({
    seed,
    ...(values.verbose && {
      trace: (t: string) => {
        console.log(t)
      },
    }),
  })
  for (const [k, n] of result.counts) counts.set(k, (counts.get(k) ?? 0) + n)
  if (result.violations.length > 0) {
    bad++
    console.log(seed, result.troubles.join(', '))
    for (const v of result.violations.slice(0, 3)) console.log('   ', v.promise, v.message)
    if (bad >= 10) break
  }
}
const ms = performance.now() - t0
console.log(
  [...counts]
    .sort()
    .map(([k, n]) => `${k}: ${n}`)
    .join('\n'),
)
console.log(`${seeds} seeds, ${(ms / 1000).toFixed(1)} s, ${bad} bad`)

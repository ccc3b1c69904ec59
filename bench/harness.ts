// How benchmarks are run and judged. Every figure is a ratio to something measured in the same run: cases
// are interleaved round by round and the median of the per-round ratios counts, because the machine is noisy.

export interface Row {
  metric: string
  /** What was measured, as a ratio. */
  value: number
  goal: number
  /** Whether smaller or larger is better. */
  better: 'smaller' | 'larger'
  detail: string
}

export interface Skipped {
  metric: string
  why: string
}

export type Outcome = Row | Skipped

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** Measures each case once per round, in turn, and gives the median ratio of each to the first. */
export async function compareRounds<K extends string>(
  rounds: number,
  cases: Record<K, () => number | Promise<number>>,
  base: NoInfer<K>,
): Promise<Record<K, {ratio: number; median: number}>> {
  const names = Object.keys(cases) as K[]
  const seen = Object.fromEntries(names.map((n) => [n, [] as number[]])) as Record<K, number[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) seen[name].push(await cases[name]())
  }
  return Object.fromEntries(
    names.map((name) => {
      const ratios = seen[name].map((value, i) => value / (seen[base][i] ?? 1))
      return [name, {ratio: median(ratios), median: median(seen[name])}]
    }),
  ) as Record<K, {ratio: number; median: number}>
}

/** A goal missed by more than a tenth fails the run. */
export function isMissed({value, goal, better}: Row): boolean {
  return better === 'smaller' ? value > goal * 1.1 : value < goal * 0.9
}

export function renderOutcomes(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((o) => {
    if (!('value' in o)) return [o.metric, '-', '-', 'left out', o.why]
    const sign = o.better === 'smaller' ? '≤' : '≥'
    return [
      o.metric,
      o.value.toFixed(2),
      `${sign} ${o.goal.toFixed(2)}`,
      isMissed(o) ? 'MISSED' : 'ok',
      o.detail,
    ]
  })
  const table = [['metric', 'ratio', 'goal', '', 'detail'], ...rows]
  const widths = [0, 1, 2, 3].map((i) => Math.max(...table.map((r) => (r[i] ?? '').length)))
  return table
    .map((r) =>
      r
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

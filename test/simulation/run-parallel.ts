// Batches on all cores. The order in which they end does not matter: each life depends on its seed alone.
import {fork, type ChildProcess} from 'node:child_process'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {availableParallelism} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {buildSync} from 'esbuild'
import {addCounts, type Batch, type BatchResult, type Broken} from './run-batch.ts'

export interface Summary {
  readonly lives: number
  readonly broken: readonly Broken[]
  readonly counts: ReadonlyMap<string, number>
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
/** Below the packages that the bundle leaves out. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
const MOST_WORKERS = 8
const SEEDS_PER_BATCH = 20

export function seedBatches(from: number, count: number, policy?: string): Batch[] {
  const batches: Batch[] = []
  for (let at = from; at < from + count; at += SEEDS_PER_BATCH) {
    const rest = Math.min(SEEDS_PER_BATCH, from + count - at)
    batches.push({kind: 'seeds', from: at, count: rest, ...(policy !== undefined && {policy})})
  }
  return batches
}

/** `onResult` returns false to leave the rest undone. */
export async function runParallel(
  batches: readonly Batch[],
  onResult: (result: BatchResult) => boolean = () => true,
): Promise<Summary> {
  mkdirSync(CACHE, {recursive: true})
  const dir = mkdtempSync(join(CACHE, 'simulation-'))
  try {
    return await runBundled(buildWorker(dir), batches, onResult)
  } finally {
    rmSync(dir, {recursive: true})
  }
}

/** One file: it loads and runs faster than a hundred that are translated as they come. */
function buildWorker(dir: string): string {
  const outfile = join(dir, 'worker.mjs')
  const shape = {bundle: true, platform: 'node', format: 'esm', packages: 'external'} as const
  buildSync({entryPoints: [WORKER], outfile, ...shape, target: 'node20', logLevel: 'error'})
  return outfile
}

async function runBundled(
  file: string,
  batches: readonly Batch[],
  onResult: (result: BatchResult) => boolean,
): Promise<Summary> {
  const waiting = [...batches]
  const broken: Broken[] = []
  const counts = new Map<string, number>()
  let lives = 0
  const work = async (): Promise<void> => {
    const worker = fork(file, {serialization: 'advanced', execArgv: []})
    try {
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
        const result = await ask(worker, batch)
        lives += result.lives
        broken.push(...result.broken)
        addCounts(counts, result.counts)
        if (!onResult(result)) waiting.length = 0
      }
    } finally {
      worker.disconnect()
    }
  }
  const workers = Math.min(MOST_WORKERS, availableParallelism(), batches.length)
  await Promise.all(Array.from({length: workers}, work))
  broken.sort((a, b) => (a.seed ?? 0) - (b.seed ?? 0))
  return {lives, broken, counts}
}

function ask(worker: ChildProcess, batch: Batch): Promise<BatchResult> {
  return new Promise((resolve, reject) => {
    const fail = (code: unknown): void => {
      reject(new Error(`a worker ended with ${String(code)} over ${JSON.stringify(batch)}`))
    }
    worker.once('exit', fail)
    worker.once('message', (result) => {
      worker.off('exit', fail)
      resolve(result as BatchResult)
    })
    worker.send(batch)
  })
}

// Large files leave large syntax trees behind, and V8 lets them lie while the state of the cluster comes in on
// top. Clearing them up once, between the two, keeps the peak of a plan near the larger of the two instead of
// their sum.
import {setFlagsFromString} from 'node:v8'
import {runInNewContext} from 'node:vm'

const WORTH_BYTES = 32 << 20

export function releaseMemory(): void {
  if (process.memoryUsage().heapUsed < WORTH_BYTES) return
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('globalThis.gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') (collect as () => void)()
}

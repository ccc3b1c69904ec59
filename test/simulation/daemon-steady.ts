// What a long-lived process must not have more and more of: memory on the heap, and open descriptors.
import {readdirSync} from 'node:fs'
import {setFlagsFromString} from 'node:v8'
import {runInNewContext} from 'node:vm'

export interface Steady {
  readonly heapBytes: number
  readonly descriptors: number
}

let collect: (() => void) | undefined

export function measureSteady(): Steady {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  collect()
  return {heapBytes: process.memoryUsage().heapUsed, descriptors: readdirSync('/proc/self/fd').length}
}

export interface Growth {
  readonly heapBytes: number
  readonly descriptors: number
  readonly firstBytes: number
  readonly lastBytes: number
}

/** Of the last third over the first, the middle value of each: a single peak is no growth. */
export function judgeGrowth(samples: readonly Steady[]): Growth {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [samples.slice(0, third), samples.slice(-third)]
  const of = (part: readonly Steady[], key: keyof Steady): number => middle(part.map((one) => one[key]))
  const [firstBytes, lastBytes] = [of(first, 'heapBytes'), of(last, 'heapBytes')]
  return {
    ...{firstBytes, lastBytes, heapBytes: lastBytes - firstBytes},
    descriptors: of(last, 'descriptors') - of(first, 'descriptors'),
  }
}

const middle = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

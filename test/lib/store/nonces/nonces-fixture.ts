// A nonce log on the disk in memory, and one record of every kind.
import {
  openNonces,
  type OpenNonces,
  type OpenNoncesOptions,
} from '../../../../src/lib/store/nonces/open-nonces.ts'
import type {MemoryDisk} from '../../../../src/lib/testing/memory-disk.ts'
import {START_MS, STATE, tickingClock} from '../journal-fixture.ts'

export const NONCES = `${STATE}/nonces`
export const DAY_MS = 86_400_000

export interface TestNoncesOptions extends Partial<OpenNoncesOptions> {
  readonly warnings?: string[]
}

export function openOn(machine: MemoryDisk, more: TestNoncesOptions = {}): Promise<OpenNonces> {
  const {warnings = [], ...rest} = more
  return openNonces({
    disk: machine.mount(),
    dir: STATE,
    clock: tickingClock(),
    warn: (text) => warnings.push(text),
    ...rest,
  })
}

export const useUntil = (expMs = START_MS + DAY_MS): {statement: string; expMs: number} => ({
  statement: 'sha256:ab',
  expMs,
})

/** Writes one record of each kind, one after the other, and tells after each what is known. */
export async function writeEveryKind(
  machine: MemoryDisk,
  nonces: OpenNonces,
  onRecord: () => void,
): Promise<void> {
  const steps: (() => Promise<unknown>)[] = [
    () => nonces.burn('one', useUntil(START_MS)),
    () => nonces.reject('two', {...useUntil(), reason: 'ö"\\ no'}),
    () => nonces.advance({clockMs: START_MS}),
    () => nonces.advance({trust: 1}),
    () => nonces.advance({clockMs: START_MS + 9 * DAY_MS, trust: 2}),
    () => dropOnly(machine, nonces),
    () => nonces.resetClock(START_MS + 1000, 'root'),
    () => nonces.burn('three', useUntil(START_MS + 3 * DAY_MS)),
  ]
  for (const step of steps) {
    await step()
    onRecord()
  }
}

/** A compaction whose new segment finds no room: the record of what was dropped is the last of the old one. */
export async function dropOnly(machine: MemoryDisk, nonces: OpenNonces): Promise<void> {
  machine.onCall = ({name, path}) =>
    name === 'open' && path.endsWith('.tmp') ? {error: 'ENOSPC'} : undefined
  await nonces.compact().then(
    () => Promise.reject(new Error('the new segment found room')),
    () => undefined,
  )
  machine.onCall = undefined
}

/** All that it knows, to be compared with what another knows. */
export function knowledgeOf(nonces: OpenNonces): unknown {
  return {
    used: ['zero', 'one', 'two', 'three'].map((nonce) => [nonces.state(nonce), nonces.find(nonce)]),
    clockMarkMs: nonces.clockMarkMs,
    trustMark: nonces.trustMark,
  }
}

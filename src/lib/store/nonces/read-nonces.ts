// Used approvals for those who only look: no lock is taken and nothing is written. Whether one is fresh is settled
// only when it is burned.
import {join} from 'node:path'
import type {Disk} from '../disk.ts'
import {explainDamage} from '../log/explain-damage.ts'
import {readNewest} from '../log/read-log.ts'
import type {LogProblem} from '../log/log-problem.ts'
import {verifyLog} from '../log/verify-log.ts'
import {nonceKind} from './nonce-kind.ts'
import {NonceState} from './nonce-state.ts'
import type {NonceView} from './nonce-store.ts'
import {NONCES_HINT} from './open-nonces.ts'

export interface ReadNoncesOptions {
  readonly disk: Disk
  /** The state directory. */
  readonly dir: string
}

export async function readNonces({
  disk,
  dir,
}: ReadNoncesOptions): Promise<NonceView & {readonly used: number}> {
  const place = {disk, dir: join(dir, 'nonces')}
  const newest = await explainDamage('nonces', NONCES_HINT, () => readNewest(place, nonceKind))
  const state = newest?.state ?? new NonceState()
  return {
    state: (nonce) => state.find(nonce)?.state ?? 'fresh',
    find: (nonce) => state.find(nonce),
    clockMarkMs: state.clockMarkMs,
    trustMark: state.trustMark,
    trustHash: state.trustHash,
    used: state.size,
  }
}

/** Every segment, every hash: what is not as it was written. */
export async function verifyNonces({disk, dir}: ReadNoncesOptions): Promise<readonly LogProblem[]> {
  const {problems} = await verifyLog({disk, dir: join(dir, 'nonces')}, nonceKind)
  return problems
}

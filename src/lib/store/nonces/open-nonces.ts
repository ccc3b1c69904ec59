// Opens the log of used approvals for writing. It stands outside the journal, so that compacting that one cannot make
// a used approval fresh again; and what cannot be read for certain is refused, since it may say that one was used.
import {join} from 'node:path'
import type {OpenLogOptions} from '../log/open-log.ts'
import {explainDamage} from '../log/explain-damage.ts'
import {LateLog} from '../log/late-log.ts'
import {FileNonces} from './file-nonces.ts'
import {nonceKind} from './nonce-kind.ts'
import type {NonceState} from './nonce-state.ts'
import type {OpenNonces, OpenNoncesOptions} from './nonce-store.ts'

export type {NonceMarks, NonceUse, NonceView, OpenNonces, OpenNoncesOptions} from './nonce-store.ts'

const SEGMENT_BYTES = 4 * 1024 * 1024
/** Fewer are not worth a new segment. */
const DROP_AT = 1000

export const NONCES_HINT =
  'Which approvals were used is no longer certain. Mend the disk or the restore that is at fault; or move the folder nonces away and rotate the trust store (felhom gate trust rotate), so that no approval made before counts any more.'

/** The caller holds the lock of the state directory. */
export async function openNonces(options: OpenNoncesOptions): Promise<OpenNonces> {
  const place = nonceLog(options)
  const log = await explainDamage('nonces', NONCES_HINT, () => LateLog.open(place))
  const nonces = new FileNonces(log, place, options.clock)
  if (log.state.countDroppable() >= DROP_AT) await compactIfPossible(nonces, options.warn)
  return nonces
}

function nonceLog(options: OpenNoncesOptions): OpenLogOptions<NonceState> {
  const {disk, dir, clock, warn, segmentBytes = SEGMENT_BYTES} = options
  return {disk, dir: join(dir, 'nonces'), identity: {}, kind: nonceKind, clock, warn, segmentBytes}
}

async function compactIfPossible(nonces: OpenNonces, warn: (text: string) => void): Promise<void> {
  try {
    await nonces.compact()
  } catch (error) {
    warn(`Old approvals could not be dropped: ${error instanceof Error ? error.message : String(error)}`)
  }
}

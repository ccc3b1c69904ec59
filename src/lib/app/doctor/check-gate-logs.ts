// Looks at what the gate keeps: whether it is certain which approvals were used, and whether the audit is whole.
import {existsSync} from 'node:fs'
import {isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import {readAuditHead} from '../../store/audit/read-audit.ts'
import {readInstallId} from '../../store/install-id.ts'
import {readNonces} from '../../store/nonces/read-nonces.ts'
import {systemDisk} from '../../store/system-disk.ts'

/** No finding where the gate has decided nothing yet. */
export async function checkGateLogs(state: string): Promise<Finding[]> {
  if (!existsSync(state)) return []
  const base = {id: 'gate', title: 'Gate'}
  const place = {disk: systemDisk, dir: state}
  try {
    readInstallId(state)
    const {used} = await readNonces(place)
    const head = await readAuditHead(place)
    if (!head) return []
    const approvals = used === 1 ? '1 approval was used' : `${used} approvals were used`
    return [{...base, verdict: 'ok', detail: `${approvals}; the audit ends in ${head.seq}:${head.h}`}]
  } catch (error) {
    if (!isFelhomError(error)) throw error
    const advice = error.hint === undefined ? {} : {advice: error.hint}
    return [{...base, verdict: 'mend', detail: error.message, ...advice}]
  }
}

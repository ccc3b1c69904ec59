// Applies what waits in a machine's config while it does not run: at once after an update of a stopped machine,
// and before each start.
import {hasPending, loadConf, storeConf, type QemuConf} from './conf.ts'
import {isCloudinit, isDriveName, parseDrive} from './drive.ts'
import {makeCloudinitImage} from './cloudinit-image.ts'
import {detachDrive, registerUnused} from './unused-volumes.ts'
import {cleanupPending, unset} from '../../guest/pending.ts'
import {PveError} from '../../pve-error.ts'
import type {Work} from './work.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

/** Error texts by option. What could not be applied goes on waiting. */
export type ApplyErrors = Record<string, string>

const onNobodysBehalf = (cluster: Cluster, {node, vmid}: Guest): Work => ({
  cluster,
  node,
  vmid,
  log: () => undefined,
})

/** When a machine has stopped, for good or for a reboot: everything that waits takes effect. */
export function applyPendingAtStop(cluster: Cluster, guest: Guest): ApplyErrors {
  return applyPending(onNobodysBehalf(cluster, guest), guest)
}

/** Before a start: everything that waits takes effect, and the cloud-init drive is made anew. */
export function applyPendingAtStart(cluster: Cluster, guest: Guest): ApplyErrors {
  const work = onNobodysBehalf(cluster, guest)
  const errors = applyPending(work, guest)
  makeCloudinitImage(work, guest)
  return errors
}

export function applyPending(work: Work, guest: Guest): ApplyErrors {
  const conf = loadConf(guest)
  const errors: ApplyErrors = {}
  if (!hasPending(conf)) return errors
  const attempt = (option: string, change: () => void): boolean => {
    try {
      change()
      return true
    } catch (error) {
      if (!(error instanceof PveError)) throw error
      errors[option] = `unable to apply pending change ${option} : ${error.asText()}`
      return false
    }
  }
  applyDeletions(work, guest, conf, attempt)
  cleanupPending(conf)
  const hasNewCloudinit = applyValues(work, conf, attempt)
  storeConf(guest, conf)
  if (hasNewCloudinit) makeCloudinitImage(work, guest)
  return errors
}

type Attempt = (option: string, change: () => void) => boolean

function applyDeletions(work: Work, guest: Guest, conf: QemuConf, attempt: Attempt): void {
  for (const option of Object.keys(conf.pendingDelete).sort()) {
    const force = conf.pendingDelete[option]?.force ?? false
    const isDone = attempt(option, () => {
      if (isDriveName(option)) detachDrive(work, guest, conf, option, force)
    })
    if (!isDone) continue
    unset(conf.pendingDelete, option)
    unset(conf.config, option)
  }
}

/** Returns whether a cloud-init drive is among what was applied. */
function applyValues(work: Work, conf: QemuConf, attempt: Attempt): boolean {
  let hasNewCloudinit = false
  for (const [option, value] of Object.entries(conf.pending)) {
    const before = conf.config[option]
    const isDone = attempt(option, () => {
      const old = before !== undefined && isDriveName(option) ? parseDrive(option, before) : undefined
      if (old) registerUnused(work, conf, old)
    })
    if (!isDone) continue
    const drive = isDriveName(option) ? parseDrive(option, value) : undefined
    if (drive && isCloudinit(drive)) hasNewCloudinit = true
    conf.config[option] = value
    unset(conf.pending, option)
  }
  return hasNewCloudinit
}

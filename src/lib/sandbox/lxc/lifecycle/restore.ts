// What a backup archive brings back: its config, and mount points of the sizes they had.
import {flag, nodeOf, type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {ROOT, requirePrivs} from '../../access/permissions.ts'
import {checkBridgeAccess} from '../../guest/bridge-access.ts'
import {requireVolume} from '../../storage/volumes.ts'
import {printMountPoint} from '../config/mount-points.ts'
import {parseNet, printNet} from '../config/network.ts'
import {mountPointsOf} from './container-volumes.ts'
import type {CreatePlan} from './create-plan.ts'
import type {Guest, Section, Volume} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

export type Backup = NonNullable<Volume['backup']>

const GIB = 1024 ** 3
const NOT_RESTORED = /^(?:rootfs|mp\d+|unused\d+|unprivileged|parent|template|lock|digest)$/
const NET = /^net\d+$/

/** The archive's config, once the caller may have what it would bring. */
export function recoverBackup(call: Call, plan: CreatePlan, before: Guest): Backup {
  const {backup} = requireVolume(call.cluster, plan.archive, nodeOf(call))
  if (backup?.kind !== 'lxc') die('ERROR: archive contains no configuration file')
  for (const [option, value] of Object.entries(backup.config)) {
    if (NET.test(option) && plan.config[option] === undefined)
      checkBridgeAccess(call, parseNet(call.cluster, value))
  }
  const unprivileged = plan.unprivileged ?? backup.config['unprivileged'] === '1'
  const wasPrivileged = plan.existed && before.config['unprivileged'] !== '1'
  if (!unprivileged && !wasPrivileged) requirePrivs(call, '/', ['Sys.Modify'])
  return backup
}

/** The mount points of the backup as new disks on one storage. */
export function restoredMountPoints(call: Call, backup: Backup, storage: string): Section {
  const wanted: Section = {}
  for (const {option, type, values} of mountPointsOf(backup.config)) {
    if (type !== 'volume') {
      if (option === 'rootfs')
        die(`restoring rootfs to ${type} mount is only possible by specifying -rootfs manually!`)
      if (call.principal.authid !== ROOT)
        die(`restoring '${option}' to ${type} mount is only possible for root`)
      wanted[option] = printMountPoint(option, values)
      continue
    }
    const {size, ...rest} = values
    if (size === undefined) die(`unable to detect disk size - please specify ${option} (size)`)
    wanted[option] = printMountPoint(option, {...rest, volume: `${storage}:${String(Number(size) / GIB)}`})
  }
  if (wanted['rootfs'] === undefined) {
    die('rootfs configuration could not be recovered, please check and specify manually!')
  }
  return wanted
}

/** Takes over what was not given; only root gets raw LXC lines back. */
export function mergeBackup(call: Call, config: Section, backup: Backup, task: TaskContext): void {
  for (const [option, value] of Object.entries(backup.config)) {
    if (NOT_RESTORED.test(option)) continue
    if (option === 'features' && config['unprivileged'] !== '1' && backup.config['unprivileged'] === '1') {
      task.log('changing from unprivileged to privileged, skipping features')
    } else if (option === 'lxc' && call.principal.authid !== ROOT) {
      task.warn('skipping custom lxc options, restore manually as root')
    } else if (flag(call, 'unique') && NET.test(option)) {
      config[option] = printNet({...parseNet(call.cluster, value), hwaddr: call.cluster.randomMac()})
    } else {
      config[option] ??= value
    }
  }
}

// What can be wrong with a config when QEMU's command line is made from it, in Proxmox's order.
import {die} from '../../pve-error.ts'
import {drivesOf} from '../config/drive.ts'
import {hotplugFeatures} from '../config/hotplug-features.ts'
import {checkMemoryHotplug} from '../config/hotplug-parts.ts'
import {checkNetDevice} from '../config/net-device.ts'
import {isNetName, parseNet} from '../config/net.ts'
import {maxCpus} from '../config/processors.ts'
import {hasBridge} from '../../guest/bridges.ts'
import {localResources} from './local-resources.ts'
import {isSet} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest, Section} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

/** Dies where the machine cannot be started so; what is only ignored is a warning in the task's log. */
export function checkStartable(cluster: Cluster, guest: Guest, task: TaskContext): void {
  const {config, node} = guest
  warnAboutFirmware(config, task)
  refuseMappings(config)
  const allowed = cluster.node(node)?.cpus
  if (allowed !== undefined && maxCpus(config) > allowed) {
    die(`MAX ${String(allowed)} vcpus allowed per VM on this node`)
  }
  if (hotplugFeatures(config['hotplug']).has('memory')) checkMemoryHotplug(config)
  warnAboutIoThreads(config, task)
  for (const option of netsOf(config)) {
    const warning = checkNetDevice(cluster, node, option, parseNet(config[option] ?? ''))
    if (warning !== undefined) task.warn(warning)
  }
}

/** No node of the sandbox has devices that could stand behind a mapping. */
function refuseMappings(config: Section): void {
  for (const [family, what] of [
    ['hostpci', 'PCI'],
    ['usb', 'USB'],
  ] as const) {
    const {mapped} = localResources(config)
    const option = Object.keys(mapped)
      .sort()
      .find((name) => name.startsWith(family))
    if (option !== undefined) die(`${what} device mapping not found for '${mapped[option]?.name ?? ''}'`)
  }
}

function warnAboutFirmware(config: Section, task: TaskContext): void {
  if (config['bios'] !== 'ovmf') return
  const efidisk = drivesOf(config).find(({option}) => option === 'efidisk0')?.drive
  if (!efidisk) task.warn('no efidisk configured! Using temporary efivars disk.')
  else if (efidisk['pre-enrolled-keys'] === '1' && efidisk['ms-cert'] !== '2023k') {
    task.warn("EFI disk without 'ms-cert=2023k' option, suggesting that not all UEFI 2023")
  }
}

function warnAboutIoThreads(config: Section, task: TaskContext): void {
  if (config['scsihw'] === 'virtio-scsi-single') return
  for (const {option, drive} of drivesOf(config)) {
    if (!option.startsWith('scsi') || !isSet(drive, 'iothread')) continue
    task.warn('iothread is only valid with virtio disk or virtio-scsi-single controller, ignoring')
  }
}

const netsOf = (config: Section): string[] => Object.keys(config).filter(isNetName).sort(byNumber)
const byNumber = (a: string, b: string): number => Number(a.slice(3)) - Number(b.slice(3))

/** The first bridge that QEMU's own script will not find. */
export function missingBridge(cluster: Cluster, {config, node}: Guest): string | undefined {
  return netsOf(config)
    .map((option) => parseNet(config[option] ?? '')['bridge'])
    .find((bridge) => bridge !== undefined && !hasBridge(cluster, node, bridge))
}

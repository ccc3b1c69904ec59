// The boot order: which devices the machine boots from, in the new form `order=scsi0;net0`.
import {isDriveName} from './drive.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {splitList} from '../../schema/split-list.ts'
import type {Section} from '../../state.ts'

const parseBoot = (boot: string): Record<string, string> => parsePropertyString('pve-qm-boot', boot)

/** The devices of `order=`; empty for the legacy form and for no order at all. */
export function bootDevices(boot: string | undefined): string[] {
  return boot === undefined ? [] : splitList(parseBoot(boot)['order'] ?? '')
}

export function printBootOrder(devices: readonly string[]): string {
  return devices.length === 0 ? '' : printPropertyString({order: devices.join(';')}, 'pve-qm-boot')
}

/** The drives that a running machine may have booted from and that therefore stay plugged. */
export function bootDrives(config: Section): string[] {
  const {boot, bootdisk} = config
  if (boot !== undefined && parseBoot(boot)['legacy'] === undefined) {
    return bootDevices(boot).filter(isDriveName)
  }
  return bootdisk === undefined ? [] : [bootdisk]
}

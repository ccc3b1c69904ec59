// Who a guest is, beyond its number: numbers are used again, these ids are not. Of a virtual machine the
// firmware's uuid and generation id, of a container its root volume and network addresses.
import type {ConfigTexts} from './actual.ts'
import type {GuestId} from './guest.ts'

export interface GuestIdentity extends GuestId {
  /** Sorted; empty: nothing tells this guest from another of the same number. */
  readonly ids: readonly string[]
}

const SMBIOS_UUID = /(?:^|,)uuid=([0-9a-fA-F-]{36})(?:,|$)/
const HARDWARE_ADDRESS = /(?:^|,)hwaddr=([0-9a-fA-F:]{17})(?:,|$)/

export function identifyGuest({kind, vmid}: GuestId, config: ConfigTexts): GuestIdentity {
  const ids = kind === 'qemu' ? machineIds(config) : containerIds(config)
  return {kind, vmid, ids: ids.sort()}
}

export function isSameIdentity(a: GuestIdentity, b: GuestIdentity): boolean {
  return a.kind === b.kind && a.vmid === b.vmid && a.ids.join('\n') === b.ids.join('\n')
}

function machineIds(config: ConfigTexts): string[] {
  const uuid = SMBIOS_UUID.exec(config['smbios1'] ?? '')?.[1]
  const generation = config['vmgenid']
  return [
    ...(uuid === undefined ? [] : [`uuid:${uuid.toLowerCase()}`]),
    ...(generation === undefined ? [] : [`vmgenid:${generation.toLowerCase()}`]),
  ]
}

function containerIds(config: ConfigTexts): string[] {
  const volume = config['rootfs']?.split(',', 1)[0]
  const addresses = Object.entries(config).flatMap(([option, text]) => {
    const address = /^net\d+$/.test(option) ? HARDWARE_ADDRESS.exec(text)?.[1] : undefined
    return address === undefined ? [] : [`hwaddr:${address.toUpperCase()}`]
  })
  return [...(volume === undefined ? [] : [`rootfs:${volume}`]), ...addresses]
}

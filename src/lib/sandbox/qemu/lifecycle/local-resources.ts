// Devices of the host that a machine uses and that keep it from moving.
import type {Section} from '../../state.ts'

export interface LocalResources {
  /** Options that stand in the way of a migration. */
  blocking: string[]
  /** Options that name a mapping instead of a device, with the mapping's name. */
  mapped: Record<string, {name: string}>
}

export function localResources(config: Section): LocalResources {
  const blocking: string[] = []
  const mapped: LocalResources['mapped'] = {}
  if (config['ivshmem']) blocking.push('ivshmem')
  for (const [option, value] of Object.entries(config)) {
    if (!/^(?:usb|hostpci|serial|parallel|virtiofs)\d+$/.test(option)) continue
    if (option.startsWith('usb') && /^(?:host=)?spice(?:,|$)/i.test(value)) continue
    if (option.startsWith('serial') && value === 'socket') continue
    const name = /(?:^|,)mapping=([^,]+)/.exec(value)?.[1]
    if (name === undefined) blocking.push(option)
    else mapped[option] = {name}
  }
  return {blocking, mapped}
}

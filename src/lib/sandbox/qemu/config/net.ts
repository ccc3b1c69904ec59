// One network device of a machine: `virtio=BC:24:11:00:02:00,bridge=vmbr0` as keys and values and back. A device
// without an address gets one, so that it keeps the same from then on.
import {optionFormat} from './option-schema.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import type {Cluster} from '../../cluster.ts'

/** Keys of the property string: `model`, `macaddr`, `bridge`, … */
export type Net = Record<string, string>

export const isNetName = (option: string): boolean => /^net\d+$/.test(option)

export function parseNet(text: string): Net {
  return parsePropertyString(optionFormat('net0'), text)
}

/** The text as Proxmox stores it: in its own order of keys, with an address. */
export function completeNet(cluster: Cluster, text: string): string {
  const net = parseNet(text)
  net['macaddr'] ??= cluster.randomMac()
  return printPropertyString(net, optionFormat('net0'))
}

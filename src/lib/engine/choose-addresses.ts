// Network addresses for a guest that is to be made. Proxmox would choose them itself; chosen and journaled by us they
// mark the guest as ours, whatever becomes of the answer.
import {findOption} from '../catalog/option.ts'
import {parseProperties, printProperties} from '../catalog/property-string.ts'
import type {GuestKind} from '../model/guest.ts'

/** As Proxmox itself begins its addresses. */
const PREFIX = 'BC:24:11'

export interface Addressed {
  readonly options: Readonly<Record<string, string>>
  /** Those that were chosen here. */
  readonly marker: readonly string[]
}

export function chooseAddresses(
  kind: GuestKind,
  options: Readonly<Record<string, string>>,
  randomHex: (digits: number) => string,
): Addressed {
  const marker: string[] = []
  const addressed = Object.entries(options).map(([name, text]): [string, string] => {
    if (!/^net\d+$/.test(name)) return [name, text]
    const address = [PREFIX, ...pairs(randomHex(6).toUpperCase())].join(':')
    const withAddress = addAddress(kind, name, text, address)
    if (withAddress === undefined) return [name, text]
    marker.push(address)
    return [name, withAddress]
  })
  return {options: Object.fromEntries(addressed), marker}
}

const pairs = (digits: string): string[] => digits.match(/../g) ?? []

/** Undefined: it has one already, or cannot be read. */
function addAddress(kind: GuestKind, name: string, text: string, address: string): string | undefined {
  const format = findOption(kind, name)?.format
  const reading = format && parseProperties(format, text)
  if (!format || !reading || !('parts' in reading)) return undefined
  const part = kind === 'lxc' ? 'hwaddr' : 'macaddr'
  if (reading.parts.has(part)) return undefined
  return printProperties(format, new Map([...reading.parts, [part, address]]))
}

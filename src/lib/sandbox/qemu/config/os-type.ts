// What the option `ostype` means for the machine: Windows guests get a fixed machine version.
import {optionFormat} from './option-schema.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'

/** Of the QEMU that the sandbox claims to run. */
const MACHINE_VERSION = '10.1'
const XP_ERA = new Set(['wxp', 'w2k3', 'w2k'])
const VISTA_ERA = new Set(['w2k8', 'wvista'])

/** 0 where the guest is no Windows. */
export function windowsVersion(ostype: string | undefined): number {
  if (ostype === undefined) return 0
  if (XP_ERA.has(ostype)) return 5
  if (VISTA_ERA.has(ostype)) return 6
  return Number(/^win(\d+)$/.exec(ostype)?.[1] ?? 0)
}

/** Guests for which all USB devices sit on one modern controller, which can be plugged. */
export const isModernUsbGuest = (ostype: string | undefined): boolean =>
  ostype === 'l26' || windowsVersion(ostype) > 7

/** The machine that belongs to an OS type: pinned to a version for Windows, else as it was; empty for none. */
export function pinMachine(machine: string | undefined, ostype: string): string {
  const format = optionFormat('machine')
  const parsed = machine === undefined ? {} : parsePropertyString(format, machine)
  const type = parsed['type']
  if ((type === undefined || /^(?:pc|q35|virt)$/.test(type)) && windowsVersion(ostype) > 0) {
    const family = {pc: 'pc-i440fx', q35: 'pc-q35', virt: 'virt'}[type ?? 'pc'] ?? 'pc-i440fx'
    parsed['type'] = `${family}-${MACHINE_VERSION}`
  }
  return printPropertyString(parsed, format)
}

// Rules between the keys of one option that its schema does not tell.
import {optionFormat} from './option-schema.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'

export function checkVga(vga: string): void {
  const {type, clipboard} = parsePropertyString(optionFormat('vga'), vga)
  if (clipboard === 'vnc' && type !== undefined && !/^(?:std|cirrus|vmware|virtio|qxl)/.test(type)) {
    die(`vga type ${type} is not compatible with VNC clipboard`)
  }
}

export function checkMachine(machine: string): void {
  const {type, viommu, 'aw-bits': bits} = parsePropertyString(optionFormat('machine'), machine)
  if (viommu === 'intel') {
    if (!type?.includes('q35')) die('to use Intel vIOMMU please set the machine type to q35')
    if (bits !== undefined && Number(bits) !== 39 && Number(bits) !== 48) {
      die('Intel vIOMMU supports only 39 or 48 bits as address width')
    }
  }
  if (bits !== undefined && viommu === undefined) die('cannot set aw-bits if no vIOMMU is configured')
}

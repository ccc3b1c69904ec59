// Parts that Proxmox fills in by itself. Written again without them it would make new ones, or lose them: a
// guest would get another MAC address, or another identity.
import type {Option} from './option.ts'
import {volumeKey} from './merge-volume.ts'

const GENERATED: Readonly<Record<string, readonly string[]>> = {
  'lxc:net[n]': ['hwaddr', 'type'],
  'qemu:net[n]': ['macaddr'],
  'qemu:smbios1': ['uuid'],
}

export function generatedParts(option: Option): readonly string[] {
  if (option.isDisk) return [volumeKey(option), 'size']
  return GENERATED[`${option.kind}:${option.family}`] ?? []
}

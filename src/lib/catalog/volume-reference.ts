// What the volume part of a disk option names: a volume that is there, one to be made, a medium, or a path of
// the host.
import {isCloudInit, parseNewVolume, storageOf} from './volumes.ts'

export type VolumeReference =
  /** An empty drive, the host's own drive, or an image: nothing of the guest's is stored there. */
  | {readonly is: 'medium'; readonly storage?: string; readonly isHostDrive: boolean}
  /** `local-lvm:8`: Proxmox makes a new volume. */
  | {readonly is: 'new'; readonly storage: string}
  /** Proxmox writes it anew from the config whenever it is needed. */
  | {readonly is: 'cloudinit'; readonly storage: string}
  /** A device, a directory or a file of the host. */
  | {readonly is: 'path'}
  | {readonly is: 'stored'; readonly storage: string; readonly owner?: number}

const OWNED = /(?:^|[/:])(?:vm|base|subvol|basevol)-(\d+)-/g

export function readVolume(text: string): VolumeReference {
  if (text === 'none' || text === 'cdrom') return {is: 'medium', isHostDrive: text === 'cdrom'}
  const storage = storageOf(text)
  if (storage === undefined) return {is: 'path'}
  if (parseNewVolume(text)) return {is: 'new', storage}
  if (isCloudInit(text)) return {is: 'cloudinit', storage}
  if (text.startsWith(`${storage}:iso/`)) return {is: 'medium', storage, isHostDrive: false}
  // The volume of a linked clone names its base first, itself last.
  const owner = [...text.matchAll(OWNED)].at(-1)?.[1]
  return {is: 'stored', storage, ...(owner === undefined ? {} : {owner: Number(owner)})}
}

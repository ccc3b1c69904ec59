// What the volume of a disk says: an existing one (`local:101/vm-101-disk-0.raw`), a new one (`local:8`, in
// GiB), a cloud-init drive to be made (`local:cloudinit`), or no volume of a storage at all (`none`, `/dev/sdb`).

const MEBIBYTE = 1024 ** 2
const NEW_VOLUME = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(\d+(?:\.\d+)?)$/i
const VOLUME = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(.+)$/i

export interface NewVolume {
  readonly storage: string
  /** Proxmox counts in whole MiB here, and drops the rest: `local:0.1` has 102 MiB. */
  readonly bytes: number
}

export function parseNewVolume(text: string): NewVolume | undefined {
  const match = NEW_VOLUME.exec(text)
  if (!match) return undefined
  return {storage: match[1] ?? '', bytes: Math.floor(Number(match[2]) * 1024) * MEBIBYTE}
}

/** The storage of a volume that exists or is to be made. */
export function storageOf(volume: string): string | undefined {
  return VOLUME.exec(volume)?.[1]
}

/** To be made: `local:cloudinit`. */
export function isNewCloudInit(volume: string): boolean {
  return VOLUME.exec(volume)?.[2] === 'cloudinit'
}

export function isCloudInit(volume: string): boolean {
  return isNewCloudInit(volume) || /(?:^|[/:])vm-\d+-cloudinit(?:\.|$)/.test(volume)
}

/** Proxmox makes a CD drive of these without being told. */
export function impliesCdrom(volume: string | undefined): boolean {
  return volume === 'none' || volume === 'cdrom' || (volume !== undefined && isCloudInit(volume))
}

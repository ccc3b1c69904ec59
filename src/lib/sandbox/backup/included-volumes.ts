// Which of a guest's volumes a backup holds, and why: containers' roots always, their other mount points when told
// to; machines' disks unless told not to.
import type {Guest, Section} from '../state.ts'

export interface IncludedVolume {
  option: string
  volid: string
  isIncluded: boolean
  reason: string
}

export function includedVolumes({kind, config}: Pick<Guest, 'kind' | 'config'>): IncludedVolume[] {
  const describe = kind === 'lxc' ? describeMount : describeDrive
  return Object.keys(config)
    .sort()
    .flatMap((option) => {
      const verdict = describe(option, config)
      const volid = /^(?:volume=|file=)?([^,]+)/.exec(config[option] ?? '')?.[1] ?? ''
      return verdict ? [{option, volid, ...verdict}] : []
    })
}

type Verdict = Pick<IncludedVolume, 'isIncluded' | 'reason'>

/** The value of a key in a property string. */
function valueOf(text: string, key: string): string | undefined {
  return new RegExp(`(?:^|,)${key}=([^,]*)`).exec(text)?.[1]
}

const isOn = (value: string | undefined): boolean => /^(?:1|on|yes|true)$/i.test(value ?? '')

function describeMount(option: string, config: Section): Verdict | undefined {
  const text = config[option] ?? ''
  if (option === 'rootfs') return {isIncluded: true, reason: 'rootfs'}
  if (!/^mp\d+$/.test(option)) return undefined
  if (text.replace(/^volume=/, '').startsWith('/')) return {isIncluded: false, reason: 'not a volume'}
  return isOn(valueOf(text, 'backup'))
    ? {isIncluded: true, reason: 'enabled'}
    : {isIncluded: false, reason: 'disabled'}
}

const DRIVE = /^(?:(?:ide|sata|scsi|virtio)\d+|efidisk0|tpmstate0)$/

/** That any `backup` reads as `backup=no` is Proxmox's own way. */
function describeDrive(option: string, config: Section): Verdict | undefined {
  const text = config[option] ?? ''
  if (!DRIVE.test(option) || valueOf(text, 'media') === 'cdrom') return undefined
  if (option === 'efidisk0' && config['bios'] !== 'ovmf') {
    return {isIncluded: false, reason: 'efidisk but no OVMF BIOS'}
  }
  const given = valueOf(text, 'backup')
  return {
    isIncluded: given === undefined || isOn(given),
    reason: given === undefined ? 'backup=yes' : 'backup=no',
  }
}

/** The rows of GET included_volumes. */
export function volumeRows(guest: Guest): Record<string, unknown>[] {
  return includedVolumes(guest).map(({option, volid, isIncluded, reason}) => ({
    id: `${String(guest.vmid)}:${option}`,
    name: volid,
    included: isIncluded ? 1 : 0,
    reason,
    leaf: 1,
  }))
}

// Conditions that the table of changes names. Each has its words, so that the table can be shown to people.
import type {DescribedChange, Side} from './described-change.ts'

export interface Condition {
  /** "if …" */
  readonly words: string
  readonly holds: (change: DescribedChange) => boolean
}

export const CONDITIONS = {
  bootDevice: {
    words: 'the machine boots from it',
    holds: ({option, config}) => bootDevices(config['boot'] ?? '').includes(option.name),
  },
  mediumDrive: {
    words: 'it is a drive for media',
    holds: ({before, after}) => (before ?? after)?.isMediumDrive === true,
  },
  mediumDriveAdded: {
    words: 'the new drive is one for media and not for cloud-init',
    holds: ({after}) => after?.isMediumDrive === true && after.volume?.is !== 'cloudinit',
  },
  disk: {
    words: 'it holds a disk',
    holds: ({before}) => before !== undefined && !before.isMediumDrive,
  },
  foreignVolume: {
    words: 'the volume is not one of this guest',
    holds: ({after, vmid}) => after !== undefined && isForeign(after, vmid),
  },
  bridgeComesOrGoes: {
    words: 'a bridge comes or goes',
    holds: ({before, after}) => !before?.parts.has('bridge') || !after?.parts.has('bridge'),
  },
  twoDigits: {
    words: 'its number has two digits',
    holds: ({option}) => (option.index ?? 0) > 9,
  },
  balloonSwitched: {
    words: 'the balloon is switched on or off',
    holds: ({before, after}) => isBalloonOff(before) !== isBalloonOff(after),
  },
  namesCpuOrMemory: {
    words: 'cpu or memory is named, now or before',
    holds: ({before, after}) => /cpu|memory/.test(`${before?.text ?? ''} ${after?.text ?? ''}`),
  },
  modernUsb: {
    words: 'the guest is Linux or Windows 8 and later',
    holds: ({config}) => /^(?:l26|win8|win1[01])$/.test(config['ostype'] ?? ''),
  },
  onlyTrimming: {
    words: 'only fstrim_cloned_disks changes and the agent is on',
    holds: ({before, parts}) =>
      before?.parts.get('enabled') === '1' && [...parts].every((part) => part === 'fstrim_cloned_disks'),
  },
  windows: {
    words: 'the new type is a Windows',
    holds: ({after}) => after?.text.startsWith('w') === true,
  },
  switchedOff: {
    words: 'it is switched off',
    holds: ({before, after}) => isOn(before) && !isOn(after),
  },
} as const satisfies Readonly<Record<string, Condition>>

export type ConditionName = keyof typeof CONDITIONS

const isOn = (side: Side | undefined): boolean => side !== undefined && Number(side.text) !== 0

const isBalloonOff = (side: Side | undefined): boolean => side !== undefined && Number(side.text) === 0

const bootDevices = (boot: string): string[] => (/order=([^,]*)/.exec(boot)?.[1] ?? '').split(';')

/** A volume of somebody else, or of nobody knows whom. */
function isForeign({volume}: Side, vmid: number | undefined): boolean {
  if (volume?.is === 'path') return true
  return volume?.is === 'stored' && (volume.owner === undefined || volume.owner !== vmid)
}

// The shape of data/options.json: one entry per family, only what differs from the ordinary.
import type {GuestKind} from '../model/guest.ts'
import type {GateClass} from '../model/plan.ts'
import type {PropertyFormat} from './property-format.ts'

/** What the data say of an option as the catalog does. */
export interface OptionTraits {
  /** Of a numbered family: how many there may be. */
  readonly count?: number
  readonly type: 'string' | 'integer' | 'number' | 'boolean'
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
  /** A JavaScript pattern that the whole value must fit. */
  readonly pattern?: string
  readonly default?: string | number
  /** The grammar of a property string. */
  readonly format?: PropertyFormat
  /** A list, and the name of the grammar of each item. */
  readonly listFormat?: string
  /** The name of the grammar of a plain value: `dns-name`, `pve-volume-id`, … */
  readonly textFormat?: string
  /** The value is a list, joined by this. */
  readonly separator?: string
  readonly unit?: 'MiB' | 'bytes'
  readonly impact: 'live' | 'restart' | 'mixed'
  /** Another name for that option: Proxmox stores it there. */
  readonly aliasOf?: string
  /** Of an alias: what to write instead. */
  readonly hint?: string
}

export interface OptionData extends OptionTraits {
  readonly family: string
  readonly isDisk?: boolean
  readonly isCreateOnly?: boolean
  /** Why felhom does not write it. */
  readonly readOnly?: string
  /** False: what is read back says nothing about what was written. */
  readonly isComparable?: boolean
  readonly rootOnly?: boolean | 'some'
  readonly privilege?: string
  readonly gate?: GateClass
}

export type OptionsData = Readonly<Record<GuestKind, readonly OptionData[]>>

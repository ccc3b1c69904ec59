// What the real Proxmox did with real values of every option: the recorded facts, typed.
import {readFileSync} from 'node:fs'
import type {GuestKind} from '../../src/lib/model/guest.ts'

export interface OptionFact {
  readonly kind: GuestKind
  readonly option: string
  readonly schemaOption: string
  readonly value: string | number
  readonly guestState: 'running' | 'stopped'
  readonly vmid: number
  readonly before: string | number | null
  readonly status: number
  readonly reason: string
  readonly readBack: string | number | null
  readonly pending: Readonly<Record<string, unknown>> | null
  readonly effect: 'live' | 'pending' | 'rejected' | 'error-but-written'
  readonly changed: boolean
  readonly alsoChanged: Readonly<Record<string, {readonly from: unknown; readonly to: unknown}>>
  readonly afterDelete?: {
    readonly status: number
    readonly gone: boolean
    readonly pending?: Readonly<Record<string, unknown>> | null
    readonly alsoChanged: Readonly<Record<string, {readonly from: unknown; readonly to: unknown}>>
  }
}

export interface ObservedOption {
  readonly kind: GuestKind
  readonly option: string
  readonly schemaOption: string
  readonly privilege: string
  readonly privilegeObserved: readonly ({readonly value: string | number} & Readonly<
    Record<Observer, string>
  >)[]
}

export type Observer = 'administratorNotRoot' | 'onlyAudit' | 'onlyVM.Config.CPU' | 'onlyVM.Config.Options'

export interface OptionFacts {
  readonly meta: {readonly seedConfigs: Readonly<Record<string, string>>}
  readonly options: readonly ObservedOption[]
  readonly facts: readonly OptionFact[]
}

const file = new URL('../fixtures/pve/option-facts.json', import.meta.url)

export function readOptionFacts(): OptionFacts {
  return JSON.parse(readFileSync(file, 'utf8')) as OptionFacts
}

// Whether what an operation wants is so, judged from Proxmox's own state and not by what felhom read.
import {compareOption} from '../../src/lib/catalog/compare-option.ts'
import {findOption} from '../../src/lib/catalog/option.ts'
import {identifyGuest, isSameIdentity} from '../../src/lib/model/identity.ts'
import type {Intent, OperationBody} from '../../src/lib/model/operation.ts'
import {parseSize} from '../../src/lib/sandbox/schema/sizes.ts'
import type {Guest} from '../../src/lib/sandbox/state.ts'

export function isGoalReached(intent: Intent, guest: Guest | undefined, startedMs: number): boolean {
  const {body, target} = intent
  if (body.type === 'destroy') return !guest || isAnother(intent, guest)
  if (guest?.kind !== target.kind) return false
  switch (body.type) {
    case 'start':
      return guest.runtime.status === 'running'
    case 'shutdown':
      return guest.runtime.status === 'stopped'
    case 'restart':
      return guest.runtime.status === 'running' && (isFresh(guest, startedMs) || nothingWaits(guest))
    case 'resize':
      return sizeOf(guest, body.disk) >= body.toBytes
    case 'set-config':
      return isConfigured(body, guest)
    case 'create':
      return isCreated(body, guest)
    case 'snapshot-delete':
      return !(body.snapshot in guest.snapshots)
    case 'snapshot-rollback':
    case 'job':
      return false
  }
}

const isAnother = ({identity, target}: Intent, guest: Guest): boolean =>
  identity !== undefined && !isSameIdentity(identity, identifyGuest(target, guest.config))

const isFresh = ({runtime}: Guest, sinceMs: number): boolean => (runtime.startedMs ?? 0) >= sinceMs

const nothingWaits = ({pending, pendingDelete}: Guest): boolean =>
  Object.keys(pending).length === 0 && Object.keys(pendingDelete).length === 0

function sizeOf(guest: Guest, disk: string): number {
  const text = /(?:^|,)size=([^,]+)/.exec(guest.pending[disk] ?? guest.config[disk] ?? '')?.[1]
  return parseSize(text ?? '') ?? 0
}

function isConfigured(body: Extract<OperationBody, {type: 'set-config'}>, guest: Guest): boolean {
  const after = (name: string): string | undefined =>
    name in guest.pendingDelete ? undefined : (guest.pending[name] ?? guest.config[name])
  const removed = [...body.delete, ...(body.revert ?? [])]
  const isSet = Object.entries(body.set).every(([name, text]) => {
    const option = findOption(guest.kind, name)
    return option ? compareOption(option, after(name), {is: 'text', text}).equal : after(name) === text
  })
  return isSet && removed.every((name) => after(name) === undefined)
}

function isCreated({marker}: Extract<OperationBody, {type: 'create'}>, guest: Guest): boolean {
  const texts = Object.values(guest.config).join('\n').toUpperCase()
  return guest.config['lock'] === undefined && marker.every((mark) => texts.includes(mark.toUpperCase()))
}

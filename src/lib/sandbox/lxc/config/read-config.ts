// GET config and GET pending of a container.
import {hasPrivs} from '../../access/permissions.ts'
import {flag, nodeOf, optionalText, vmidOf, type Call} from '../../call.ts'
import {configDigest, rawLxcEntries} from '../../guest/config-file.ts'
import {mergePending, pendingRows, unset, type PendingRow} from '../../guest/pending.ts'
import {requireSnapshot} from '../../guest/snapshots.ts'
import {paramError} from '../../pve-error.ts'
import {typedOption} from './option-schema.ts'
import {loadStaged, sectionAsRead} from './staged-config.ts'
import type {Guest, Section} from '../../state.ts'

type Answer = Record<string, unknown>

export function readConfig(call: Call): Answer {
  const snapshot = optionalText(call, 'snapshot')
  const current = flag(call, 'current')
  if (snapshot !== undefined && current) {
    const conflict = "cannot use 'snapshot' parameter with 'current'"
    paramError({snapshot: conflict, current: conflict})
  }
  const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  const answer =
    snapshot === undefined ? currentAnswer(call, guest, current) : snapshotAnswer(call, guest, snapshot)
  answer['digest'] = configDigest(guest)
  return answer
}

export function readPending(call: Call): PendingRow[] {
  const guest = call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  const staged = loadStaged(guest)
  hideRestricted(call, guest, staged.config)
  hideRestricted(call, guest, staged.pending)
  const rows = pendingRows(staged, (key, text) => (key === 'lxc' ? undefined : typedOption(key, text)))
  return [...rows, {key: 'digest', value: configDigest(guest)}]
}

function currentAnswer(call: Call, guest: Guest, current: boolean): Answer {
  const staged = loadStaged(guest)
  return typedSection(call, guest, current ? staged.config : mergePending(staged))
}

function snapshotAnswer(call: Call, guest: Guest, name: string): Answer {
  const {config, ...own} = requireSnapshot(guest, name)
  return {...typedSection(call, guest, sectionAsRead(config)), ...own}
}

function typedSection(call: Call, guest: Guest, section: Section): Answer {
  hideRestricted(call, guest, section)
  const answer: Answer = {}
  for (const [key, text] of Object.entries(section)) {
    answer[key] = key === 'lxc' ? rawLxcEntries(section) : typedOption(key, text)
  }
  return answer
}

/** The environment may hold secrets: only who may change it sees it. */
function hideRestricted(call: Call, guest: Guest, section: Section): void {
  if (section['env'] === undefined) return
  if (!hasPrivs(call, `/vms/${String(guest.vmid)}`, ['VM.Config.Options'])) unset(section, 'env')
}

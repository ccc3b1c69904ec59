// GET of a machine's config: what is, what waits, what a snapshot holds. Passwords are never shown.
import {loadConf} from './conf.ts'
import {isTrue} from './drive.ts'
import {typedValue} from './option-schema.ts'
import {configDigest} from '../../guest/config-file.ts'
import {mergePending, pendingRows, type PendingRow} from '../../guest/pending.ts'
import {requireSnapshot} from '../../guest/snapshots.ts'
import {paramError} from '../../pve-error.ts'
import {flag, nodeOf, optionalText, vmidOf, type Call} from '../../call.ts'
import type {Guest, Section, Snapshot} from '../../state.ts'

export const MASK = '**********'

const machineOf = (call: Call): Guest => call.cluster.requireGuest('qemu', nodeOf(call), vmidOf(call))

export function readConfig(call: Call): Record<string, unknown> {
  const snapshot = optionalText(call, 'snapshot')
  if (snapshot && flag(call, 'current')) {
    const text = "cannot use 'snapshot' parameter with 'current'"
    paramError({snapshot: text, current: text})
  }
  const guest = machineOf(call)
  if (snapshot) return answer(snapshotSection(requireSnapshot(guest, snapshot)), guest)
  const conf = loadConf(guest)
  return answer(flag(call, 'current') ? conf.config : mergePending(conf), guest)
}

export function readPending(call: Call): PendingRow[] {
  const guest = machineOf(call)
  const conf = loadConf(guest)
  if (conf.config['cipassword'] !== undefined) conf.config['cipassword'] = MASK
  if (conf.pending['cipassword'] !== undefined) conf.pending['cipassword'] = `${MASK} `
  return [...pendingRows(conf, typedValue), {key: 'digest', value: configDigest(guest)}]
}

function answer(section: Section, guest: Guest): Record<string, unknown> {
  const data: Record<string, unknown> = {digest: configDigest(guest)}
  for (const [option, text] of Object.entries(section)) data[option] = typedValue(option, text)
  if (isTrue(section['cipassword'])) data['cipassword'] = MASK
  return data
}

function snapshotSection(snapshot: Snapshot): Section {
  const {config, snaptime, ...texts} = snapshot
  return {...config, ...texts, snaptime: String(snaptime)}
}

// Tags of guests: how they are stored, and who may set or remove which.
import {hasPrivs, requirePrivs, type Subject} from '../access/permissions.ts'
import {permissionDenied} from '../pve-error.ts'
import {splitList} from '../schema/split-list.ts'
import type {Cluster} from '../cluster.ts'

type Options = Record<string, unknown>

function optionOf(cluster: Cluster, name: string): Options {
  const value = cluster.state.options[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Options) : {}
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** The text that is stored: each tag once, lower-case and sorted unless the datacenter's style says otherwise. */
export function uniqueTags(cluster: Cluster, text: string): string {
  const style = optionOf(cluster, 'tag-style')
  const isCaseSensitive = Number(style['case-sensitive'] ?? 0) === 1
  const tags = splitList(text).map((tag) => (isCaseSensitive ? tag : tag.toLowerCase()))
  if (style['ordering'] !== 'config') tags.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return [...new Set(tags)].join(';')
}

/** Whether the caller may turn the old tags into the new ones; dies with the 403 for the first it may not touch. */
export function checkTagPermissions(subject: Subject, vmid: number, before: string, after: string): void {
  requirePrivs(subject, `/vms/${String(vmid)}`, ['VM.Config.Options'])
  if (hasPrivs(subject, '/', ['Sys.Modify'])) return
  const count = (text: string): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const tag of splitList(text)) counts.set(tag, (counts.get(tag) ?? 0) + 1)
    return counts
  }
  const [old, wanted] = [count(before), count(after)]
  const changed = [...new Set([...old.keys(), ...wanted.keys()])].filter((t) => old.get(t) !== wanted.get(t))
  if (changed.length === 0) return
  const isAllowed = allowedTags(subject)
  for (const tag of changed) {
    if (!isAllowed(tag)) permissionDenied(`/, Sys.Modify for modifying tag '${tag}'`)
  }
}

/** What somebody without Sys.Modify may set: registered tags never, others as the datacenter allows. */
function allowedTags(subject: Subject): (tag: string) => boolean {
  const {cluster} = subject
  const access = optionOf(cluster, 'user-tag-access')
  const allow = typeof access['user-allow'] === 'string' ? access['user-allow'] : 'free'
  const registered = new Set(textsOf(cluster.state.options['registered-tags']))
  const listed = new Set(allow === 'none' ? [] : textsOf(access['user-allow-list']))
  if (allow === 'existing') {
    for (const guest of cluster.state.guests.values()) {
      if (!hasPrivs(subject, `/vms/${String(guest.vmid)}`, ['VM.Audit'])) continue
      for (const tag of splitList(guest.config['tags'] ?? '')) listed.add(tag)
    }
  }
  return (tag) => !registered.has(tag) && (allow === 'free' || listed.has(tag))
}

// The tags that a caller may set: those of the guests it sees and those that the datacenter's options name.
import {hasPrivs, type Subject} from '../access/permissions.ts'

export function allowedTags(subject: Subject): string[] {
  const {options, guests} = subject.cluster.state
  const isPrivileged = hasPrivs(subject, '/', ['Sys.Modify'])
  const access = asObject(options['user-tag-access'])
  const userAllow = typeof access['user-allow'] === 'string' ? access['user-allow'] : 'free'
  const tags = new Set<string>()
  if (userAllow !== 'none' || isPrivileged)
    for (const tag of splitTags(access['user-allow-list'])) tags.add(tag)
  if (userAllow === 'free' || userAllow === 'existing' || isPrivileged) {
    for (const guest of guests.values()) {
      const mayAudit = isPrivileged || hasPrivs(subject, `/vms/${String(guest.vmid)}`, ['VM.Audit'])
      if (mayAudit) for (const tag of splitTags(guest.config['tags'])) tags.add(tag)
    }
  }
  for (const tag of splitTags(options['registered-tags'])) {
    if (isPrivileged) tags.add(tag)
    else tags.delete(tag)
  }
  return [...tags].sort()
}

function splitTags(value: unknown): string[] {
  const parts = Array.isArray(value)
    ? value.map(String)
    : typeof value === 'string'
      ? value.split(/[,;\s]+/)
      : []
  return parts.filter((tag) => tag !== '')
}

function asObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  const pairs = typeof value === 'string' ? value.split(',') : []
  return Object.fromEntries(pairs.map((p) => [p.slice(0, p.indexOf('=')), p.slice(p.indexOf('=') + 1)]))
}

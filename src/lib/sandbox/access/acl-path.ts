// ACL paths in their one canonical form.

/** `/vms//100/` → `/vms/100`; undefined when a character is not allowed. */
export function normalizeAclPath(path: string): string | undefined {
  if (path === '') return undefined
  const trimmed = path.replace(/\/+/g, '/').replace(/\/$/, '')
  const rooted = trimmed.startsWith('/') ? trimmed : `/${trimmed}`
  return /^[A-Za-z0-9.\-_/]+$/.test(rooted) ? rooted : undefined
}

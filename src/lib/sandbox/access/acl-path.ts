// ACL paths in their one canonical form.

/** `/vms//100/` → `/vms/100`; undefined when a character is not allowed. */
export function normalizeAclPath(path: string): string | undefined {
  if (path === '' || path === '0') return undefined
  const trimmed = path.replace(/\/+/g, '/').replace(/\/$/, '')
  const rooted = trimmed.startsWith('/') ? trimmed : `/${trimmed}`
  return /^[A-Za-z0-9.\-_/]+$/.test(rooted) ? rooted : undefined
}

const NAME = '[A-Za-z0-9._-]+'
const GRANTABLE = new RegExp(
  `^(?:/|/access(?:/(?:groups|realm)(?:/${NAME})?)?|/nodes(?:/${NAME})?|/pool(?:/${NAME}){0,3}` +
    `|/sdn(?:/controllers(?:/[A-Za-z0-9_-]+)?|/(?:dns|fabrics|ipams|prefix-lists|route-maps)(?:/[A-Za-z0-9]+)?)?` +
    `|/sdn/zones(?:/${NAME}(?:/${NAME}(?:/[1-9][0-9]{0,3})?)?)?` +
    `|/storage(?:/${NAME})?|/vms(?:/[1-9][0-9]{2,})?|/mapping(?:/${NAME}){0,2})$`,
)

/** Whether a role may be granted there at all. */
export const isGrantablePath = (path: string): boolean => GRANTABLE.test(path)

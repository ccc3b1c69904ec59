// Compares what the token may do with what felhom needs, and says which pveum lines would grant the rest.
import type {Finding} from '../../model/health.ts'
import type {Permissions} from '../../pve/answers.ts'

export type Purpose = 'read' | 'apply'

interface Need {
  path: string
  privileges: string[]
  why: string
}

const READING: Need[] = [
  {path: '/', privileges: ['Sys.Audit'], why: 'to see quorum, nodes and HA'},
  {path: '/vms', privileges: ['VM.Audit'], why: 'to see every guest and its config'},
]

const CHANGING: Need[] = [
  {
    path: '/vms',
    privileges: [
      'VM.PowerMgmt',
      'VM.Config.CPU',
      'VM.Config.Memory',
      'VM.Config.Network',
      'VM.Config.Options',
      'VM.Config.Disk',
      'VM.Config.HWType',
      'VM.Config.CDROM',
      'VM.Config.Cloudinit',
    ],
    why: 'to start, stop and change guests',
  },
]

export function checkPrivileges(permissions: Permissions, tokenId: string, purpose: Purpose): Finding {
  const base = {id: 'privileges', title: 'Privileges'}
  const missingRead = findMissing(permissions, READING)
  const missingChange = findMissing(permissions, CHANGING)
  const missing = purpose === 'apply' ? [...missingRead, ...missingChange] : missingRead
  if (missing.length > 0) {
    const detail = missing
      .map((need) => `${need.privileges.join(', ')} on ${need.path} ${need.why}`)
      .join('; ')
    return {
      ...base,
      verdict: 'mend',
      detail: `missing ${detail}`,
      advice: 'On a node, as root (role modify … --append where the role exists):',
      commands: grantLines(permissions, missing, tokenId),
    }
  }
  if (missingChange.length > 0) {
    return {
      ...base,
      verdict: 'note',
      detail: 'enough to read and to plan; not to apply (felhom doctor --for apply)',
    }
  }
  return {...base, verdict: 'ok', detail: 'enough to plan and to apply changes of guests'}
}

function findMissing(permissions: Permissions, needs: Need[]): Need[] {
  return needs
    .map((need) => ({...need, privileges: need.privileges.filter((p) => !holds(permissions, need.path, p))}))
    .filter((need) => need.privileges.length > 0)
}

/** Proxmox reports what propagates to the paths below as `true`, and always reports /vms if it holds anything. */
const holds = (permissions: Permissions, path: string, privilege: string): boolean =>
  permissions.get(path)?.get(privilege) === true

const ROLE = 'Felhom'

/** A token without privilege separation has its user's privileges, one with it only what both have. */
function grantLines(permissions: Permissions, needs: Need[], tokenId: string): string[] {
  const privileges = [...new Set(needs.flatMap((n) => n.privileges))]
  const onRoot = needs.some((n) => n.path === '/')
  const paths = [...new Set(needs.map((n) => grantPath(permissions, n.path, onRoot)))]
  const [user = ''] = tokenId.split('!')
  const holders = [...(user === 'root@pam' ? [] : [`--users '${user}'`]), `--tokens '${tokenId}'`]
  return [
    `pveum role add ${ROLE} --privs "${privileges.join(' ')}"`,
    ...paths.flatMap((path) => holders.map((holder) => `pveum acl modify ${path} ${holder} --roles ${ROLE}`)),
  ]
}

/**
 * An entry on a path hides all that propagates to it from above, so that a grant there could take privileges
 * away. Where nothing has an entry of its own, the grant goes to the root.
 */
function grantPath(permissions: Permissions, path: string, onRoot: boolean): string {
  const above = [...(permissions.get('/') ?? [])].filter(([, propagates]) => propagates).map(([name]) => name)
  const here = permissions.get(path) ?? new Map<string, boolean>()
  if (here.size === 0) return onRoot ? '/' : path
  const inheritsAll = here.size === above.length && above.every((name) => here.get(name) === true)
  return inheritsAll ? '/' : path
}

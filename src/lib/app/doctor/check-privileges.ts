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
    return {...base, verdict: 'mend', detail: `missing ${detail}`, commands: grantLines(missing, tokenId)}
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

/** A privilege on a parent counts where it propagates; Proxmox reports that as `true`. */
function holds(permissions: Permissions, path: string, privilege: string): boolean {
  if (permissions.get(path)?.has(privilege)) return permissions.get(path)?.get(privilege) === true
  return path !== '/' && permissions.get('/')?.get(privilege) === true
}

/** A token without privilege separation has its user's privileges, one with it only what both have. */
function grantLines(needs: Need[], tokenId: string): string[] {
  const privileges = [...new Set(needs.flatMap((n) => n.privileges))]
  const onRoot = needs.some((n) => n.path === '/')
  const role = 'Felhom'
  const path = onRoot ? '/' : '/vms'
  const [user = ''] = tokenId.split('!')
  return [
    `pveum role add ${role} --privs "${privileges.join(' ')}"`,
    ...(user === 'root@pam' ? [] : [`pveum acl modify ${path} --users '${user}' --roles ${role}`]),
    `pveum acl modify ${path} --tokens '${tokenId}' --roles ${role}`,
  ]
}

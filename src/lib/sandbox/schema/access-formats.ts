// Formats of users, tokens, groups, roles and privileges.
import {byPattern} from './address-formats.ts'
import {refuse, type FormatCheck} from './format-error.ts'
import {perlRegex} from './perl-regex.ts'

const REALM = '[A-Za-z][A-Za-z0-9\\.\\-_]+'
const USER_REGEX = perlRegex(`([^\\s:/]+)@(${REALM})`, {whole: true})
const TOKEN_REGEX = perlRegex(`([^\\s:/]+)@(${REALM})!(${REALM})`, {whole: true})
const NAME_REGEX = perlRegex('[A-Za-z0-9\\.\\-_]+', {whole: true})
const MAIL_USER = '[\\w\\+\\-\\~]+(\\.[\\w\\+\\-\\~]+)*'
const MAIL = `${MAIL_USER}@[a-zA-Z0-9\\-]+(\\.[a-zA-Z0-9\\-]+)*`

/** Every privilege that Proxmox VE 9.1 knows. */
export const PRIVILEGES: ReadonlySet<string> = new Set(
  Object.entries({
    Datastore: ['Allocate', 'AllocateSpace', 'AllocateTemplate', 'Audit'],
    Group: ['Allocate'],
    Mapping: ['Audit', 'Modify', 'Use'],
    Permissions: ['Modify'],
    Pool: ['Allocate', 'Audit'],
    Realm: ['Allocate', 'AllocateUser'],
    SDN: ['Allocate', 'Audit', 'Use'],
    Sys: ['AccessNetwork', 'Audit', 'Console', 'Incoming', 'Modify', 'PowerMgmt', 'Syslog'],
    User: ['Modify'],
    VM: [
      ...['Allocate', 'Audit', 'Backup', 'Clone', 'Console', 'Migrate', 'PowerMgmt', 'Replicate'],
      ...['CDROM', 'CPU', 'Cloudinit', 'Disk', 'HWType', 'Memory', 'Network', 'Options'].map(
        (p) => `Config.${p}`,
      ),
      ...['Audit', 'FileRead', 'FileSystemMgmt', 'FileWrite', 'Unrestricted'].map((p) => `GuestAgent.${p}`),
      ...['Snapshot', 'Snapshot.Rollback'],
    ],
  }).flatMap(([subject, privs]) => privs.map((priv) => `${subject}.${priv}`)),
)

function checkUserid(value: string): void {
  const name = value === '0' ? '' : value
  if (name.length < 3) refuse(`user name '${name}' is too short`)
  if (name.length > 64) refuse(`user name '${name}' is too long (${name.length} > 64)`)
  if (!USER_REGEX.test(name)) refuse(`value '${name}' does not look like a valid user name`)
}

export const accessFormats: Record<string, FormatCheck> = {
  'pve-userid': checkUserid,
  'pve-tokenid': (value) => {
    if (!TOKEN_REGEX.test(value)) refuse(`value '${value}' does not look like a valid token ID`)
  },
  'pve-groupid': (value) => {
    if (!NAME_REGEX.test(value)) refuse(`group name '${value}' contains invalid characters`)
  },
  'pve-roleid': (value) => {
    if (!NAME_REGEX.test(value)) refuse(`role name '${value}' contains invalid characters`)
  },
  'pve-priv': (value) => {
    if (!PRIVILEGES.has(value)) refuse(`invalid privilege '${value}'`)
  },
  'pve-realm': byPattern(REALM, 'value does not look like a valid realm'),
  email: byPattern(MAIL, 'value does not look like a valid email address'),
  'email-or-username': byPattern(
    `(?:${MAIL}|${MAIL_USER})`,
    'value does not look like a valid email address or user name',
  ),
}

// Grammars that Proxmox's schema calls by name: who fits, and how to tell a person what would.
import {isIpv4, isIpv4Cidr, isIpv6, isIpv6Cidr} from './addresses.ts'

interface Grammar {
  readonly fits: (text: string) => boolean
  /** One clause for "expected …". */
  readonly expected: string
}

const like = (pattern: RegExp): Grammar['fits'] => pattern.test.bind(pattern)
const hasDots = like(/(?:^|\/)\.\.?(?:\/|$)/)
const isPath = (text: string): boolean => text.startsWith('/') && !hasDots(text)
const isVolume = like(/^[a-z][a-z0-9\-_.]*[a-z0-9]:\S+$/i)
const isName = like(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i)
const isIp = (text: string): boolean => isIpv4(text) || isIpv6(text)

const volumeOrPath: Grammar = {
  fits: (text) => isVolume(text) || isPath(text),
  expected: 'a volume (storage:name), a new one (storage:GiB) or an absolute path',
}

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map<string, Grammar>([
  ['address', {fits: (text) => isIp(text) || isName(text), expected: 'an IP address or a DNS name'}],
  ['dns-name', {fits: isName, expected: 'a DNS name: letters, digits and hyphens, parts joined by dots'}],
  ['ipv4', {fits: isIpv4, expected: 'an IPv4 address'}],
  ['ipv6', {fits: isIpv6, expected: 'an IPv6 address'}],
  [
    'lxc-ip-with-ll-iface',
    {fits: (text) => isIp(text.replace(/^(fe80:[^%]+)%[\w.-]+$/i, '$1')), expected: 'an IP address'},
  ],
  [
    'mac-addr',
    {
      fits: like(/^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i),
      expected: 'a unicast MAC address such as BC:24:11:00:01:02',
    },
  ],
  ['pve-bridge-id', {fits: like(/^[-_.\w]+$/), expected: 'the name of a bridge'}],
  [
    'pve-configid',
    {fits: like(/^[a-z][a-z0-9_-]+$/i), expected: 'a name of letters, digits, hyphens and underscores'},
  ],
  [
    'pve-cpuset',
    {fits: like(/^\s*\d+(?:-\d+)?(?:\s*,\s*\d+(?:-\d+)?)*\s*$/), expected: 'CPUs such as 0,2-3'},
  ],
  ['pve-ct-timezone', {fits: like(/^[\w+/-]+$/), expected: 'host, or a time zone such as Europe/Budapest'}],
  [
    'pve-hotplug-feature',
    {
      fits: like(/^(?:network|disk|cpu|memory|usb|cloudinit)$/),
      expected: 'network, disk, cpu, memory, usb or cloudinit',
    },
  ],
  [
    'pve-ipv4-config',
    {
      fits: (text) => text === 'dhcp' || text === 'manual' || isIpv4Cidr(text),
      expected: 'dhcp, manual, or an address with its prefix such as 192.0.2.5/24',
    },
  ],
  [
    'pve-ipv6-config',
    {
      fits: (text) => ['auto', 'dhcp', 'manual'].includes(text) || isIpv6Cidr(text),
      expected: 'auto, dhcp, manual, or an address with its prefix such as 2001:db8::5/64',
    },
  ],
  [
    'pve-lxc-dev-string',
    {fits: (text) => text.startsWith('/dev/') && !hasDots(text), expected: 'a path under /dev'},
  ],
  // Of a volume, and of the path at which it is mounted.
  ['pve-lxc-mp-string', {fits: (text) => !hasDots(text), expected: 'a path without "." and ".." in it'}],
  [
    'pve-phys-bits',
    {fits: like(/^(?:host|[89]|[1-5]\d|6[0-4])$/), expected: 'host, or a number from 8 to 64'},
  ],
  [
    'pve-qm-bootdev',
    {
      fits: like(/^(?:ide|sata|scsi|virtio|net|usb|hostpci)\d+$/),
      expected: 'devices of the guest such as scsi0 or net0',
    },
  ],
  ['pve-storage-id', {fits: like(/^[a-z][a-z0-9\-_.]*[a-z0-9]$/i), expected: 'the name of a storage'}],
  ['pve-tag', {fits: like(/^[a-z0-9_][a-z0-9_\-+.]*$/i), expected: 'a tag: letters, digits and _ - + .'}],
  ['pve-volume-id', {fits: isVolume, expected: 'a volume such as local:snippets/user.yaml'}],
  ['pve-volume-id-or-absolute-path', volumeOrPath],
  [
    'pve-volume-id-or-qm-path',
    {
      fits: (text) => text === 'none' || text === 'cdrom' || volumeOrPath.fits(text),
      expected: `${volumeOrPath.expected}, none or cdrom`,
    },
  ],
  ['urlencoded', {fits: like(/^[-%\w.!~*'()]*$/), expected: 'URL-encoded text'}],
])

/** What would have been right; undefined if it is, or if there is no such grammar. */
export function checkFormat(format: string | undefined, text: string): string | undefined {
  const grammar = format === undefined ? undefined : GRAMMARS.get(format.replace(/-list$/, ''))
  if (!grammar) return undefined
  const items = format?.endsWith('-list') === true ? text.split(/[,;\s]+/) : [text]
  return items.every((item) => grammar.fits(item)) ? undefined : grammar.expected
}

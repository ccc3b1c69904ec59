// Formats of addresses, names and networks.
import {refuse, type FormatCheck} from './format-error.ts'
import {perlRegex} from './perl-regex.ts'

const OCTET = '(?:25[0-5]|(?:2[0-4]|1[0-9]|[1-9])?[0-9])'
export const IPV4 = `(?:(?:${OCTET}\\.){3}${OCTET})`
const H16 = '(?:[0-9a-fA-F]{1,4})'
const LS32 = `(?:(?:${IPV4}|${H16}:${H16}))`
/** `before` groups may stand left of `::`, `after` groups right of it, then the tail. */
const shortened = (before: number, after: number, tail: string): string =>
  `(?:(?:${H16}:){0,${before}}${H16})?::(?:${H16}:){${after}}${tail}`
export const IPV6 = `(?:${[
  `(?:${H16}:){6}${LS32}`,
  `::(?:${H16}:){5}${LS32}`,
  ...[0, 1, 2, 3, 4].map((before) => shortened(before, 4 - before, LS32)),
  shortened(5, 0, H16),
  shortened(6, 0, ''),
].join('|')})`

const NAME = '([a-zA-Z0-9]([a-zA-Z0-9\\-]*[a-zA-Z0-9])?)'
const IP_REGEX = perlRegex(`(?:(?:${IPV4})|(?:${IPV6}))`, {whole: true})
const DNS_REGEX = perlRegex(`(${NAME}\\.)*${NAME}`, {whole: true})
const IFACE_REGEX = perlRegex('[a-z][a-z0-9_]{1,20}([:\\.]\\d+)?', {whole: true, ignoreCase: true})
const CIDR4_REGEX = perlRegex(`(?:${IPV4})/(\\d+)`, {whole: true})
const CIDR6_REGEX = perlRegex(`(?:${IPV6})/(\\d+)`, {whole: true})

export const isIp = (value: string): boolean => IP_REGEX.test(value)
export const isDnsName = (value: string): boolean => DNS_REGEX.test(value)
/** By address or by name; the name `0`, which Perl takes for nothing, is none. */
export const isHost = (value: string): boolean => isIp(value) || (isDnsName(value) && value !== '0')

/** A check by one pattern with one text. */
export function byPattern(pattern: string, text: string, ignoreCase = false): FormatCheck {
  const regex = perlRegex(pattern, {whole: true, ignoreCase})
  return (value) => {
    if (!regex.test(value)) refuse(text)
  }
}

function isCidr(regex: RegExp, value: string, longest: number): boolean {
  const bits = Number(regex.exec(value)?.[1] ?? '0')
  return bits > 7 && bits <= longest
}

const isCidr4 = (value: string): boolean => isCidr(CIDR4_REGEX, value, 32)
const isCidr6 = (value: string): boolean => isCidr(CIDR6_REGEX, value, 128)

function byTest(test: (value: string) => boolean, text: string): FormatCheck {
  return (value) => {
    if (!test(value)) refuse(text)
  }
}

const keyword = (words: string): RegExp => perlRegex(`(?:${words})`, {whole: true})
const IPV4_WORD = keyword('dhcp|manual')
const IPV6_WORD = keyword('auto|dhcp|manual')

const NETMASKS = new Set(
  Array.from({length: 33}, (_, bits) =>
    [24, 16, 8, 0].map((shift) => Math.floor((2 ** 32 - 2 ** (32 - bits)) / 2 ** shift) % 256).join('.'),
  ),
)

function checkVlan(value: string): void {
  const match = /^(\d+)(?:-(\d+))?\n?$/.exec(value)
  if (!match) refuse(`invalid VLAN configuration '${value}'`)
  const tags = [match[1], match[2]].filter((tag) => tag !== undefined && tag !== '0')
  for (const tag of tags) {
    if (Number(tag) < 2 || Number(tag) > 4094) refuse(`invalid VLAN tag '${tag ?? ''}'`)
  }
  if (Number(match[1]) < 2) refuse(`invalid VLAN tag '${match[1] ?? ''}'`)
  if (tags.length === 2 && Number(tags[0]) >= Number(tags[1])) {
    refuse(`VLAN range must go from lower to higher tag '${value}'`)
  }
}

function checkNameserver(value: string): void {
  const linkLocal = /^(fe80:[^%]+)%(.*)\n?$/.exec(value)
  if (linkLocal && isIp(linkLocal[1] ?? '') && IFACE_REGEX.test(linkLocal[2] ?? '')) return
  if (!isIp(value)) refuse('value does not look like a valid IP address')
}

export const addressFormats: Record<string, FormatCheck> = {
  ipv4: byPattern(IPV4, 'value does not look like a valid IPv4 address'),
  ipv6: byPattern(IPV6, 'value does not look like a valid IPv6 address'),
  ip: byTest(isIp, 'value does not look like a valid IP address'),
  ipv4mask: byTest((value) => NETMASKS.has(value), 'value does not look like a valid IP netmask'),
  CIDRv4: byTest(isCidr4, 'value does not look like a valid IPv4 CIDR network'),
  CIDRv6: byTest(isCidr6, 'value does not look like a valid IPv6 CIDR network'),
  CIDR: byTest((v) => isCidr4(v) || isCidr6(v), 'value does not look like a valid CIDR network'),
  'pve-ipv4-config': byTest(
    (value) => IPV4_WORD.test(value) || isCidr4(value),
    'value does not look like a valid ipv4 network configuration',
  ),
  'pve-ipv6-config': byTest(
    (value) => IPV6_WORD.test(value) || isCidr6(value),
    'value does not look like a valid ipv6 network configuration',
  ),
  'dns-name': byTest(isDnsName, 'value does not look like a valid DNS name'),
  'pve-node': byPattern(NAME, 'value does not look like a valid node name'),
  'mac-addr': byPattern(
    '[a-f0-9][02468ace](?::[a-f0-9]{2}){5}',
    'value does not look like a valid unicast MAC address',
    true,
  ),
  'mac-prefix': byPattern(
    '[a-f0-9][02468ace](?::[a-f0-9]{2}){0,2}:?',
    'value is not a valid unicast MAC address prefix',
    true,
  ),
  address: (value) => {
    if (!isHost(value)) refuse(`value does not look like a valid address: ${value}`)
  },
  'pve-iface': (value) => {
    if (!IFACE_REGEX.test(value)) refuse(`invalid network interface name '${value}'`)
  },
  'pve-bridge-id': (value) => {
    if (!BRIDGE_REGEX.test(value)) refuse(`invalid bridge ID '${value}'`)
  },
  'pve-vlan-id-or-range': checkVlan,
  'lxc-ip-with-ll-iface': checkNameserver,
}

const BRIDGE_REGEX = perlRegex('[-_.\\w\\d]+', {whole: true})

// What a cloud-init drive holds: the files for the user, the network and the instance, as text.
import {createHash} from 'node:crypto'
import {parseNet} from './net.ts'
import {windowsVersion} from './os-type.ts'
import {MASK} from './read-config.ts'
import {unescapeUri} from './update-request.ts'
import {HOST_DNS} from '../../host-dns.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import type {Section} from '../../state.ts'

export function userData(config: Section, vmid: number, isMasked = false): string {
  const {hostname, fqdn} = hostNames(config, vmid)
  const {ciuser, cipassword, sshkeys, ciupgrade} = config
  const lines = ['#cloud-config', `hostname: ${hostname}`, 'manage_etc_hosts: true', `fqdn: ${fqdn}`]
  if (ciuser !== undefined) lines.push(`user: ${ciuser}`)
  if (ciuser === 'root') lines.push('disable_root: False')
  if (cipassword !== undefined) lines.push(`password: ${isMasked ? MASK : cipassword}`)
  if (sshkeys !== undefined) lines.push('ssh_authorized_keys:', ...keysOf(sshkeys).map((key) => `  - ${key}`))
  lines.push('chpasswd:', '  expire: False')
  if (ciuser !== 'root') lines.push('users:', '  - default')
  if (ciupgrade !== '0') lines.push('package_upgrade: true')
  return `${lines.join('\n')}\n`
}

function keysOf(sshkeys: string): string[] {
  return unescapeUri(sshkeys)
    .split('\n')
    .filter((key) => /\S/.test(key))
}

function hostNames(config: Section, vmid: number): {hostname: string; fqdn: string} {
  const name = config['name'] ?? `VM${String(vmid)}`
  if (name.includes('.')) return {hostname: name.replace(/\..*$/, ''), fqdn: name}
  const domain = config['searchdomain']
  return {hostname: name, fqdn: domain ? `${name}.${domain}` : name}
}

/** Windows understands the one form only, everything else the other. */
function isConfigDrive(config: Section): boolean {
  return (
    (config['citype'] ?? (windowsVersion(config['ostype']) > 0 ? 'configdrive2' : 'nocloud')) !== 'nocloud'
  )
}

export function networkData(config: Section): string {
  return isConfigDrive(config) ? configDriveNetwork(config) : nocloudNetwork(config)
}

export function instanceMetadata(config: Section, vmid: number): string {
  const uuid = createHash('sha1')
    .update(userData(config, vmid) + networkData(config))
    .digest('hex')
  if (!isConfigDrive(config)) return `instance-id: ${uuid}\n`
  return `{\n     "uuid": "${uuid}",\n     "network_config": { "content_path": "/content/0000" }\n}\n`
}

interface Nic {
  index: string
  mac: string
  ip: Record<string, string>
}

/** The network devices that have an address configured, in the order of their names. */
function nicsOf(config: Section): Nic[] {
  return Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .sort()
    .flatMap((key) => {
      const index = key.slice(3)
      const ipconfig = config[`ipconfig${index}`]
      if (!ipconfig) return []
      return [
        {index, mac: (parseNet(config[key] ?? '')['macaddr'] ?? '').toLowerCase(), ip: addressesOf(ipconfig)},
      ]
    })
}

/** No address at all means both by DHCP; an address and its gateway must fit together. */
function addressesOf(ipconfig: string): Record<string, string> {
  const parsed = parsePropertyString('pve-qm-ipconfig', ipconfig)
  const {ip, gw, ip6, gw6} = parsed
  if ((gw && (!ip || ip === 'dhcp')) || (gw6 && (!ip6 || ip6 === 'dhcp' || ip6 === 'auto'))) return {}
  return ip === undefined && ip6 === undefined ? {ip: 'dhcp', ip6: 'dhcp'} : parsed
}

const words = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '')

function resolverOf(config: Section): {servers: string[]; domains: string[]} {
  return {servers: words(config['nameserver'] ?? HOST_DNS.dns1), domains: words(config['searchdomain'])}
}

function nocloudNetwork(config: Section): string {
  const lines = ['version: 1', 'config:']
  for (const {index, mac, ip} of nicsOf(config)) {
    lines.push(
      '    - type: physical',
      `      name: eth${index}`,
      `      mac_address: '${mac}'`,
      '      subnets:',
    )
    lines.push(...nocloudSubnets(ip))
  }
  lines.push('    - type: nameserver')
  const {servers, domains} = resolverOf(config)
  if (servers.length > 0) lines.push('      address:', ...servers.map((server) => `      - '${server}'`))
  if (domains.length > 0) lines.push('      search:', ...domains.map((domain) => `      - '${domain}'`))
  return `${lines.join('\n')}\n`
}

function nocloudSubnets({ip, gw, ip6, gw6}: Record<string, string>): string[] {
  const lines: string[] = []
  if (ip === 'dhcp') lines.push('      - type: dhcp4')
  else if (ip !== undefined) {
    const {address, mask} = splitIpv4(ip)
    lines.push('      - type: static', `        address: '${address}'`, `        netmask: '${mask}'`)
    if (gw !== undefined) lines.push(`        gateway: '${gw}'`)
  }
  if (ip6 === 'dhcp') lines.push('      - type: dhcp6')
  else if (ip6 === 'auto') lines.push('      - type: ipv6_slaac')
  else if (ip6 !== undefined) {
    lines.push('      - type: static6', `        address: '${ip6}'`)
    if (gw6 !== undefined) lines.push(`        gateway: '${gw6}'`)
  }
  return lines
}

function splitIpv4(cidr: string): {address: string; mask: string} {
  const [address = '', prefix = '0'] = cidr.split('/')
  const bits = Number(prefix)
  const mask = [0, 8, 16, 24].map((start) => 256 - 2 ** (8 - Math.min(8, Math.max(0, bits - start))))
  return {address, mask: mask.join('.')}
}

function configDriveNetwork(config: Section): string {
  let content = 'auto lo\niface lo inet loopback\n\n'
  const {servers, domains} = resolverOf(config)
  if (servers.length > 0) content += `        dns_nameservers ${servers.join(' ')}\n`
  if (domains.length > 0) content += `        dns_search ${domains.join(' ')}\n`
  for (const {index, ip} of nicsOf(config))
    content += `auto eth${index}\n${configDriveStanzas(`eth${index}`, ip)}`
  return content
}

function configDriveStanzas(iface: string, {ip, gw, ip6, gw6}: Record<string, string>): string {
  let content = ''
  if (ip === 'dhcp') content += `iface ${iface} inet dhcp\n`
  else if (ip !== undefined) {
    const {address, mask} = splitIpv4(ip)
    content += staticStanza(`iface ${iface} inet static`, address, mask, gw)
  }
  if (ip6 === 'dhcp' || ip6 === 'auto') content += `iface ${iface} inet6 ${ip6}\n`
  else if (ip6 !== undefined) {
    const [address = '', mask = ''] = ip6.split('/')
    content += staticStanza(`iface ${iface} inet6 static`, address, mask, gw6)
  }
  return content
}

function staticStanza(head: string, address: string, mask: string, gateway: string | undefined): string {
  const route = gateway === undefined ? '' : `        gateway ${gateway}\n`
  return `${head}\n        address ${address}\n        netmask ${mask}\n${route}`
}

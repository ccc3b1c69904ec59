// GET interfaces: the addresses that a running container would show.
import {nodeOf, vmidOf, type Call} from '../../call.ts'
import {isRunning} from '../../guest/status.ts'
import {parseNet} from '../config/network.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

interface Address {
  'ip-address': string
  'ip-address-type': 'inet' | 'inet6'
  prefix: string
}

export interface Interface {
  name: string
  hwaddr: string
  'hardware-address': string
  'ip-addresses': Address[]
  inet?: string
  inet6?: string
}

/** null for a container that does not run, or does not exist. */
export function interfaces(call: Call): Interface[] | null {
  const guest = call.cluster.guest(vmidOf(call))
  if (guest?.kind !== 'lxc' || guest.node !== nodeOf(call) || !isRunning(guest)) return null
  const nets = Object.keys(guest.config)
    .filter((key) => /^net\d+$/.test(key))
    .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))
  const loopback = asInterface('lo', '00:00:00:00:00:00', ['127.0.0.1/8', '::1/128'])
  return [loopback, ...nets.map((key) => netInterface(call.cluster, guest, guest.config[key] ?? ''))]
}

function netInterface(cluster: Cluster, guest: Guest, text: string): Interface {
  const net = parseNet(cluster, text)
  const hwaddr = (net['hwaddr'] ?? '').toLowerCase()
  const addresses: string[] = []
  const {ip, ip6} = {ip: net['ip'] ?? '', ip6: net['ip6'] ?? ''}
  if (ip.includes('/')) addresses.push(ip)
  else if (ip === 'dhcp') addresses.push(leasedAddress(cluster, guest, net['bridge']))
  if (ip6.includes('/')) addresses.push(ip6)
  if (net['link_down'] !== '1') addresses.push(`${linkLocal(hwaddr)}/64`)
  return asInterface(
    net['name'] ?? '',
    hwaddr,
    addresses.filter((a) => a !== ''),
  )
}

/** What a DHCP server of the bridge's network would hand out: always the same address for the same guest. */
function leasedAddress(cluster: Cluster, guest: Guest, bridge: string | undefined): string {
  const node = cluster.node(guest.node)
  const network = node?.bridges.find((b) => b.iface === bridge)?.address
  const match = /^(\d+\.\d+\.\d+)\.\d+\/(\d+)$/.exec(network ?? '')
  return match ? `${match[1] ?? ''}.${String(100 + (guest.vmid % 150))}/${match[2] ?? ''}` : ''
}

/** The EUI-64 address that the kernel gives every link. */
function linkLocal(hwaddr: string): string {
  const bytes = hwaddr.split(':').map((part) => Number.parseInt(part, 16))
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = bytes
  const groups = [((a ^ 2) << 8) | b, (c << 8) | 0xff, 0xfe00 | d, (e << 8) | f]
  return `fe80::${groups.map((group) => group.toString(16)).join(':')}`
}

function asInterface(name: string, hwaddr: string, cidrs: string[]): Interface {
  const result: Interface = {name, hwaddr, 'hardware-address': hwaddr, 'ip-addresses': []}
  for (const cidr of cidrs) {
    const [address = '', prefix = ''] = cidr.split('/')
    const family = address.includes(':') ? 'inet6' : 'inet'
    result[family] = cidr
    result['ip-addresses'].push({'ip-address': address, 'ip-address-type': family, prefix})
  }
  return result
}

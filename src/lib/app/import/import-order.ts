// The order in which people look for options: who it is, what it has, how it is connected, and then the rest.
import type {Option} from '../../catalog/option.ts'

const OPTION_ORDER: readonly string[] = [
  ...['hostname', 'name', 'tags', 'description'],
  ...['cores', 'sockets', 'vcpus', 'cpu', 'cpulimit', 'cpuunits', 'memory', 'balloon', 'swap'],
  ...['onboot', 'startup', 'protection', 'net[n]', 'nameserver', 'searchdomain', 'ipconfig[n]'],
  ...['rootfs', 'mp[n]', 'scsi[n]', 'virtio[n]', 'sata[n]', 'ide[n]', 'efidisk0', 'tpmstate0'],
]

const PART_ORDER: readonly string[] = [
  ...['model', 'name', 'bridge', 'tag', 'ip', 'gw', 'ip6', 'gw6'],
  ...['volume', 'file', 'media', 'mp', 'size'],
]

export function sortOptions<T extends {readonly option: Option}>(items: readonly T[]): T[] {
  return [...items].sort(
    ({option: a}, {option: b}) =>
      rank(OPTION_ORDER, a.family) - rank(OPTION_ORDER, b.family) ||
      compareWords(a.family, b.family) ||
      (a.index ?? 0) - (b.index ?? 0),
  )
}

/** Known ones first, the others in the order in which they come. */
export function sortParts(parts: ReadonlyMap<string, string>): [name: string, text: string][] {
  return [...parts].sort(([a], [b]) => rank(PART_ORDER, a) - rank(PART_ORDER, b))
}

const rank = (order: readonly string[], name: string): number =>
  order.includes(name) ? order.indexOf(name) : order.length

const compareWords = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

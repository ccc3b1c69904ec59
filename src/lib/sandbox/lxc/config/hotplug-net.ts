// A network of a running container is changed step by step, and Proxmox writes the config file after each step:
// when a later option of the same update fails, these steps stay.
import {bridgeMtu, plugIntoBridge} from '../../guest/bridges.ts'
import {unset, type Staged} from '../../guest/pending.ts'
import {die, PveError} from '../../pve-error.ts'
import {parseNet, printNet, type Net} from './network.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

interface NetChange {
  cluster: Cluster
  guest: Guest
  staged: Staged
  option: string
  /** Writes the config file as it stands. */
  write: () => void
}

/** Ends with the option's full new text waiting to be taken over. */
export function hotplugNet(change: NetChange): void {
  const {cluster, staged, option} = change
  const net = parseNet(cluster, staged.pending[option] ?? '')
  const before = staged.config[option]
  const old = before === undefined ? undefined : parseNet(cluster, before)
  if (!old) addInterface(change, net)
  else if (old['hwaddr'] !== net['hwaddr'] || old['name'] !== net['name']) {
    unset(staged.config, option)
    change.write()
    addInterface(change, net)
  } else updateInterface(change, old, net)
  changeAddresses(change, net)
  staged.pending[option] = printNet(net)
}

function addInterface(change: NetChange, net: Net): void {
  const {cluster, guest} = change
  if (net['bridge'] === undefined) die('unable to get bridge setting')
  bridgeMtu(cluster, guest.node, net['bridge'])
  plug(change, net)
  writeNet(change, pick(net, ['bridge', 'tag', 'firewall', 'hwaddr', 'name', 'link_down']))
}

function updateInterface(change: NetChange, old: Net, net: Net): void {
  const kept = {...old}
  if (isReplugged(old, net)) {
    replug(change, net)
    Object.assign(kept, pick(net, ['bridge', 'tag', 'firewall', 'rate', 'link_down']))
  } else if (old['rate'] !== net['rate']) setOrRemove(kept, 'rate', net['rate'])
  writeNet(change, kept)
}

/** On failure Proxmox restores the old connection, and the text gains a line end on the way. */
function replug(change: NetChange, net: Net): void {
  try {
    plug(change, net)
  } catch (error) {
    if (error instanceof PveError) throw new PveError(error.status, `${error.message}\n`)
    throw error
  }
}

function isReplugged(old: Net, net: Net): boolean {
  const number = (of: Net, key: string): number | undefined =>
    of[key] === undefined ? undefined : Number(of[key])
  return (
    old['bridge'] !== net['bridge'] ||
    number(old, 'tag') !== number(net, 'tag') ||
    number(old, 'firewall') !== number(net, 'firewall') ||
    (old['link_down'] === '1') !== (net['link_down'] === '1')
  )
}

/** An interface whose link is down touches no bridge. */
function plug({cluster, guest}: NetChange, net: Net): void {
  if (net['link_down'] === '1') return
  plugIntoBridge(cluster, guest.node, {bridge: net['bridge'], trunks: net['trunks']})
}

/** IPv4, then IPv6; each change of address or gateway is written on its own. */
function changeAddresses(change: NetChange, net: Net): void {
  for (const keys of [
    ['ip', 'gw'],
    ['ip6', 'gw6'],
  ]) {
    const current = parseNet(change.cluster, change.staged.config[change.option] ?? '')
    if (keys.every((key) => current[key] === net[key])) continue
    for (const key of keys) setOrRemove(current, key, net[key])
    writeNet(change, current)
  }
}

function writeNet(change: NetChange, net: Net): void {
  change.staged.config[change.option] = printNet({...net, type: 'veth'})
  change.write()
}

function pick(net: Net, keys: string[]): Net {
  const picked: Net = {}
  for (const key of keys) {
    const value = net[key]
    if (value !== undefined && value !== '0' && value !== '') picked[key] = value
  }
  return picked
}

function setOrRemove(net: Net, key: string, value: string | undefined): void {
  if (value === undefined) unset(net, key)
  else net[key] = value
}

// Network options of containers and the host's bridges behind them.
import {bridgeMtu} from '../../guest/bridges.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import {optionFormat} from './option-schema.ts'
import type {Cluster} from '../../cluster.ts'

export type Net = Record<string, string>

/** Reads a network option as Proxmox does: always a veth, and with a new MAC address where none is given. */
export function parseNet(cluster: Cluster, text: string): Net {
  const net: Net = {...parsePropertyString(optionFormat('net0'), text), type: 'veth'}
  net['hwaddr'] ??= cluster.randomMac()
  return net
}

export function printNet(net: Net): string {
  return printPropertyString(net, optionFormat('net0'))
}

/** The check of a network option before anything is written. */
export function checkNet(cluster: Cluster, node: string, option: string, text: string): void {
  const net = parsePropertyString(optionFormat('net0'), text)
  if (net['mtu'] !== undefined) {
    const mtu = bridgeMtu(cluster, node, net['bridge'])
    if (Number(net['mtu']) > mtu)
      die(`${option}: MTU size '${net['mtu']}' is bigger than bridge MTU '${String(mtu)}'`)
  }
  if (net['link_down'] !== '1' && net['host-managed'] === '1' && net['ip6'] === 'auto') {
    die(`${option}: SLAAC is not supported for host-managed network configuration.`)
  }
}

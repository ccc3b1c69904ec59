// The bridges of a node, as a guest's network devices meet them when they are plugged in.
import {die} from '../pve-error.ts'
import type {Cluster} from '../cluster.ts'

const BRIDGE_MTU = 1500
/** Proxmox dies here without a line end, so Perl tells where. */
const NO_TRUNKS =
  'vlan aware feature need to be enabled to use trunks at /usr/share/perl5/PVE/Network.pm line 544.'

export function hasBridge(cluster: Cluster, node: string, bridge: string | undefined): boolean {
  return cluster.node(node)?.bridges.some(({iface}) => iface === bridge) ?? false
}

/** The MTU of a bridge of that node, or the error of a bridge that is not there. */
export function bridgeMtu(cluster: Cluster, node: string, bridge: string | undefined): number {
  if (!hasBridge(cluster, node, bridge)) die(`bridge '${bridge ?? ''}' does not exist`)
  return BRIDGE_MTU
}

/** A port on the bridge for a device that is there already; the bridges of the sandbox know no VLAN filter. */
export function plugIntoBridge(
  cluster: Cluster,
  node: string,
  {bridge, trunks}: {bridge?: string | undefined; trunks?: string | undefined},
): void {
  if (!hasBridge(cluster, node, bridge)) die(`interface ${bridge ?? ''} does not exist`)
  if (trunks !== undefined) die(NO_TRUNKS)
}

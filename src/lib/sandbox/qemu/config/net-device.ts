// What a network device needs of its node before QEMU can be told to make it.
import {bridgeMtu} from '../../guest/bridges.ts'
import {die} from '../../pve-error.ts'
import type {Net} from './net.ts'
import type {Cluster} from '../../cluster.ts'

const MINIMUM_MTU = 576
/** Stands for the bridge's own. */
const INHERITED_MTU = 1

/** Returns a warning where there is one; dies where the device cannot be made. */
export function checkNetDevice(cluster: Cluster, node: string, option: string, net: Net): string | undefined {
  const {model, bridge, mtu} = net
  if (model !== 'virtio' || bridge === undefined) {
    if (mtu === undefined) return undefined
    const why = bridge === undefined ? 'no bridge configured' : 'not using VirtIO'
    return `netdev ${option}: ignoring MTU '${mtu}', ${why}`
  }
  const limit = bridgeMtu(cluster, node, bridge)
  if (mtu === undefined || Number(mtu) === INHERITED_MTU) return undefined
  if (Number(mtu) < MINIMUM_MTU) {
    die(`netdev ${option}: MTU '${mtu}' is smaller than the IP minimum MTU '${String(MINIMUM_MTU)}'`)
  }
  if (Number(mtu) > limit) {
    die(
      `netdev ${option}: MTU '${mtu}' is bigger than the bridge MTU '${String(limit)}' - adjust the MTU for the` +
        ' network device in the VM configuration, while ensuring that the bridge is configured as desired.',
    )
  }
  return undefined
}

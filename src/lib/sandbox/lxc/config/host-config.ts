// After each write Proxmox renders the config that LXC itself reads. What that refuses is answered as an error
// although the change is already written.
import {die} from '../../pve-error.ts'
import {requireDevice} from './devices.ts'
import {parseNet} from './network.ts'
import {bridgeMtu} from '../../guest/bridges.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

/** Dies where the container's config cannot be rendered for LXC; a template has none. */
export function renderHostConfig(cluster: Cluster, guest: Guest): void {
  const {config, node} = guest
  if (config['template'] === '1') return
  if (config['arch'] === undefined)
    die("missing 'arch' - internal error at /usr/share/perl5/PVE/LXC.pm line 729.")
  const options = Object.keys(config).sort()
  for (const option of options.filter((key) => /^dev\d+$/.test(key))) requireDevice(config[option] ?? '')
  if (config['rootfs'] === undefined) die("missing 'rootfs' configuration")
  for (const option of options.filter((key) => /^net\d+$/.test(key))) {
    const net = parseNet(cluster, config[option] ?? '')
    const bridge = bridgeMtu(cluster, node, net['bridge'])
    const mtu = Number(net['mtu'] ?? bridge)
    if (mtu > bridge)
      die(`${option}: MTU size '${String(mtu)}' is bigger than bridge MTU '${String(bridge)}'`)
  }
}

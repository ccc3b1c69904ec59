// Network devices of a running machine: some keys are changed in place, others by taking the device out and in.
import {parseNet, type Net} from './net.ts'
import {checkNetDevice} from './net-device.ts'
import {plugIntoBridge} from '../../guest/bridges.ts'
import type {Plug} from './hotplug-parts.ts'

/** Keys that only a new device can take over. */
const REPLACING = ['model', 'macaddr', 'queues', 'mtu']
/** Keys for which the device is put on the bridge anew. */
const REPLUGGING = ['bridge', 'tag', 'trunks', 'firewall']

export function plugNet(plug: Plug, option: string, value: string): boolean {
  const {cluster, node} = plug.work
  const wanted = parseNet(value)
  const text = plug.conf.config[option]
  const before = text === undefined ? undefined : parseNet(text)
  const isInPlace =
    before !== undefined &&
    before['bridge'] !== undefined &&
    wanted['bridge'] !== undefined &&
    !REPLACING.some((key) => differs(before, wanted, key))
  if (!isInPlace) {
    if (!plug.features.has('network')) return false
    checkNetDevice(cluster, node, option, wanted)
  } else if (REPLUGGING.some((key) => differs(before, wanted, key))) {
    plugIntoBridge(cluster, node, {bridge: wanted['bridge'], trunks: wanted['trunks']})
  }
  return true
}

/** Numbers are compared as numbers: a missing one counts as a difference. */
function differs(a: Net, b: Net, key: string): boolean {
  const [left, right] = [a[key], b[key]]
  if (left === undefined || right === undefined) return left !== right
  const isNumber = key !== 'model' && key !== 'macaddr' && key !== 'bridge' && key !== 'trunks'
  return isNumber ? Number(left) !== Number(right) : left !== right
}

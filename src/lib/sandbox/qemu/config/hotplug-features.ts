// The option `hotplug`: which kinds of devices a running machine takes over at once.
import {splitList} from '../../schema/split-list.ts'

const DEFAULT = 'network,disk,usb'

export function hotplugFeatures(hotplug: string | undefined): ReadonlySet<string> {
  if (hotplug === '0') return new Set()
  return new Set(splitList(hotplug === undefined || hotplug === '1' ? DEFAULT : hotplug))
}

// Device nodes of the host that can be passed through to containers.
import {die} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import {optionFormat} from './option-schema.ts'

const DEVICES = new Set([
  '/dev/dri/card0',
  '/dev/dri/renderD128',
  '/dev/full',
  '/dev/fuse',
  '/dev/kvm',
  '/dev/net/tun',
  '/dev/null',
  '/dev/random',
  '/dev/tty',
  '/dev/ttyS0',
  '/dev/ttyUSB0',
  '/dev/urandom',
  '/dev/zero',
])

/** Dies where the option names no device that the host has. */
export function requireDevice(text: string): void {
  const path = parsePropertyString(optionFormat('dev0'), text)['path'] ?? die('Path has to be defined')
  if (!DEVICES.has(path)) die(`Device ${path} does not exist`)
}

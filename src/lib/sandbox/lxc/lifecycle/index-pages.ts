// The folders of a container. Unlike other folders these say whether the container exists.
import {nodeOf, vmidOf, type Call} from '../../call.ts'

const GUEST_FOLDER = [
  ...[
    'config',
    'pending',
    'status',
    'vncproxy',
    'termproxy',
    'vncwebsocket',
    'spiceproxy',
    'migrate',
    'clone',
  ],
  ...['rrd', 'rrddata', 'firewall', 'snapshot', 'resize', 'interfaces'],
]
const STATUS_FOLDER = ['current', 'start', 'stop', 'shutdown', 'reboot', 'migrate']

export const guestIndex = (call: Call): {subdir: string}[] => folder(call, GUEST_FOLDER)
export const statusIndex = (call: Call): {subdir: string}[] => folder(call, STATUS_FOLDER)

function folder(call: Call, names: string[]): {subdir: string}[] {
  call.cluster.requireGuest('lxc', nodeOf(call), vmidOf(call))
  return names.map((subdir) => ({subdir}))
}

// The folders of a machine that only list their children.
import {placeOf, requireVm} from './vm.ts'
import type {Call, Route} from '../../call.ts'

const VM = '/nodes/{node}/qemu/{vmid}'
const POWER = ['current', 'start', 'stop', 'reset', 'shutdown', 'suspend', 'reboot']
const anybody = (): void => undefined

function listPowerActions(call: Call): {subdir: string}[] {
  requireVm(placeOf(call))
  return POWER.map((subdir) => ({subdir}))
}

/** Whether there is such a snapshot is not asked. */
const listSnapshotActions = (): {cmd: string}[] => [{cmd: 'rollback'}, {cmd: 'config'}]

export const indexRoutes: Route[] = [
  {method: 'GET', path: `${VM}/status`, check: anybody, handler: listPowerActions},
  {method: 'GET', path: `${VM}/snapshot/{snapname}`, check: anybody, handler: listSnapshotActions},
]

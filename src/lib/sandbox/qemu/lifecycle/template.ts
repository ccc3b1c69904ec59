// POST template: the machine's disks become base volumes, from which linked clones are made.
import {optionalText, type Call} from '../../call.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {die} from '../../pve-error.ts'
import {makeBaseVolume, volumeHasFeature} from '../../storage/volumes.ts'
import {printDrive} from '../config/drive.ts'
import {disksOf, volidOf} from './drives.ts'
import {isUp, placeOf, requireVm, startTask, withVm} from './vm.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

const CONVERT_MS = 200

export function template(call: Call): string {
  const place = placeOf(call)
  const disk = optionalText(call, 'disk')
  checkConvertible(requireVm(place), disk)
  return startTask(call, 'qmtemplate', (task) =>
    withVm(place, async (guest) => {
      checkConvertible(guest, disk)
      guest.config['template'] = '1'
      await task.sleep(CONVERT_MS)
      convertDisks(place.cluster, guest, disk)
    }),
  )
}

function checkConvertible(guest: Guest, disk: string | undefined): void {
  checkLock(guest)
  if (Object.keys(guest.snapshots).length > 0) die('unable to create template, because VM contains snapshots')
  if (isTemplate(guest) && disk === undefined) die("you can't convert a template to a template")
  if (isUp(guest)) die("you can't convert a VM to template if VM is running")
}

/** Turns disks, or one of them, into base volumes where their storage can; the others stay what they are. */
export function convertDisks(cluster: Cluster, guest: Guest, only?: string): void {
  for (const named of disksOf(guest.config)) {
    if (only !== undefined && named.option !== only) continue
    const volid = volidOf(named)
    if (!volumeHasFeature(cluster, 'template', volid)) continue
    const base = makeBaseVolume(cluster, volid, guest.node)
    guest.config[named.option] = printDrive(named.option, {...named.drive, file: base.volid})
  }
}

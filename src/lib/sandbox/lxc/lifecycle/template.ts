// POST template: the answer is null at once, a task makes base volumes of the container's volumes.
import {type Call} from '../../call.ts'
import {die} from '../../pve-error.ts'
import {checkLock, isTemplate} from '../../guest/snapshots.ts'
import {makeBaseVolume, volumeHasFeature} from '../../storage/volumes.ts'
import {exchangeVolume, volumesIn} from './container-volumes.ts'
import {forkTask, isContainerRunning, withGuest} from './power.ts'
import type {Cluster} from '../../cluster.ts'
import type {Guest} from '../../state.ts'

const VOLUME_TO_BASE_MS = 100

export async function template(call: Call): Promise<null> {
  await withGuest(call, (guest) => {
    checkLock(guest)
    if (Object.keys(guest.snapshots).length > 0)
      die('unable to create template, because CT contains snapshots')
    if (isTemplate(guest)) die("you can't convert a template to a template")
    if (isContainerRunning(call)) die("you can't convert a CT to template if the CT is running")
    forkTask(call, 'vztemplate', async (task) => {
      await task.sleep(VOLUME_TO_BASE_MS)
      makeTemplate(call.cluster, guest)
    })
  })
  return null
}

/** All volumes or none: whether each storage can do it is asked first. */
export function makeTemplate(cluster: Cluster, guest: Guest): void {
  const volumes = volumesIn(guest.config)
  for (const {volid} of volumes) {
    if (!volumeHasFeature(cluster, 'template', volid)) die(`Template feature is not available for '${volid}'`)
  }
  for (const {option, volid} of volumes) {
    const base = makeBaseVolume(cluster, volid, guest.node)
    guest.config[option] = exchangeVolume(guest.config, option, base.volid)
  }
  guest.config['template'] = '1'
}

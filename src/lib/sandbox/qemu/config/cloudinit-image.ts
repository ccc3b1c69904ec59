// The generated cloud-init drive: its volume is made where it is missing, and from then on it is in step with the
// config. The sandbox writes no image; it remembers what the image would have been made from.
import {drivesOf, fileOf} from './drive.ts'
import {loadConf, storeConf, type QemuConf} from './conf.ts'
import {optionSchema} from './option-schema.ts'
import {
  allocateVolume,
  findVolume,
  parseVolname,
  requireStorage,
  tryParseVolid,
} from '../../storage/volumes.ts'
import {splitList} from '../../schema/split-list.ts'
import type {Work} from './work.ts'
import type {Guest} from '../../state.ts'

const IMAGE_BYTES = 4 * 1024 * 1024
const CLOUDINIT_OPTION =
  /^(?:cicustom|cipassword|citype|ciuser|ciupgrade|nameserver|searchdomain|sshkeys|ipconfig\d+)$/

export const isCloudinitOption = (option: string): boolean =>
  CLOUDINIT_OPTION.test(option) && optionSchema(option) !== undefined

/** Generates the drive anew; the config no longer differs from it. */
export function makeCloudinitImage(work: Work, guest: Guest): void {
  const conf = loadConf(guest)
  for (const {drive} of drivesOf(conf.config)) writeImage(work, fileOf(drive))
  if (!hasCloudinitChanges(conf)) return
  delete conf.cloudinit
  storeConf(guest, conf)
}

/** Writes the image on the volume, which is made where it is missing. */
export function writeImage(work: Work, volid: string): void {
  const id = tryParseVolid(volid)
  if (!id?.volname.includes(`vm-${String(work.vmid)}-cloudinit`)) return
  work.log('generating cloud-init ISO')
  if (findVolume(work.cluster, volid, work.node)) return
  allocateVolume(work.cluster, {
    storage: id.storage,
    node: work.node,
    vmid: work.vmid,
    sizeBytes: IMAGE_BYTES,
    content: 'images',
    format: parseVolname(requireStorage(work.cluster, id.storage), id.volname).format,
    tail: 'cloudinit',
  })
}

export function hasCloudinitChanges(conf: QemuConf): boolean {
  return conf.cloudinit !== undefined && Object.keys(conf.cloudinit).length > 0
}

/** Options whose change the drive does not show until it is made anew. */
const isRecorded = (option: string): boolean =>
  option === 'name' || /^net\d+$/.test(option) || isCloudinitOption(option)

/**
 * Notes a live change of an option that the drive was made from: the value at that time, or that the option is
 * new since. A change back to that value is forgotten again.
 */
export function recordCloudinitChange(conf: QemuConf, option: string, value: string | undefined): void {
  if (!isRecorded(option)) return
  const section = (conf.cloudinit ??= {})
  const added = new Set(splitList(section['added'] ?? ''))
  Reflect.deleteProperty(section, 'added')
  const before = conf.config[option]
  const recorded = section[option]
  if (value !== undefined && recorded !== undefined) {
    if (value === recorded) {
      Reflect.deleteProperty(section, option)
      added.delete(option)
    }
  } else if (recorded === undefined && added.has(option)) {
    if (value === undefined && before !== undefined) added.delete(option)
  } else if (recorded === undefined && before !== undefined) {
    section[option] = before
  } else if (recorded === undefined && value !== undefined) {
    added.add(option)
  }
  if (added.size > 0) section['added'] = [...added].sort().join(',')
}

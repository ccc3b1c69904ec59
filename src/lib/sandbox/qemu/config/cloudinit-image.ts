// The generated cloud-init drive: its volume is made where it is missing, and from then on it is in step with the
// config. The sandbox writes no image; it remembers what the image would have been made from.
import {drivesOf, fileOf} from './drive.ts'
import {loadConf, storeConf, type QemuConf} from './conf.ts'
import {optionFormat, optionSchema} from './option-schema.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString} from '../../schema/property-string.ts'
import {
  allocateVolume,
  findVolume,
  parseVolid,
  parseVolname,
  requireStorage,
  requireVolume,
  tryParseVolid,
} from '../../storage/volumes.ts'
import {splitList} from '../../schema/split-list.ts'
import type {Work} from './work.ts'
import type {Guest, Section} from '../../state.ts'

const IMAGE_BYTES = 4 * 1024 * 1024
const CLOUDINIT_OPTION =
  /^(?:cicustom|cipassword|citype|ciuser|ciupgrade|nameserver|searchdomain|sshkeys|ipconfig\d+)$/

export const isCloudinitOption = (option: string): boolean =>
  CLOUDINIT_OPTION.test(option) && optionSchema(option) !== undefined

/** Generates the drive anew; the config no longer differs from it. */
export function makeCloudinitImage(work: Work, guest: Guest): void {
  const conf = loadConf(guest)
  for (const {drive} of drivesOf(conf.config)) writeImage(work, conf.config, fileOf(drive))
  if (!hasCloudinitChanges(conf)) return
  delete conf.cloudinit
  storeConf(guest, conf)
}

/** Writes the image on the volume, which is made where it is missing. */
export function writeImage(work: Work, config: Section, volid: string): void {
  const id = tryParseVolid(volid)
  if (!id?.volname.includes(`vm-${String(work.vmid)}-cloudinit`)) return
  requireSnippets(work, config['cicustom'])
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

const SNIPPETS = ['network', 'user', 'meta', 'vendor']

/** The files that take the place of generated ones. */
function requireSnippets({cluster, node}: Work, cicustom: string | undefined): void {
  if (cicustom === undefined) return
  const files = parsePropertyString(optionFormat('cicustom'), cicustom)
  for (const volid of SNIPPETS.map((kind) => files[kind]).filter((file) => file !== undefined)) {
    const {storage, volname} = parseVolid(volid)
    if (parseVolname(requireStorage(cluster, storage), volname).content !== 'snippets') {
      die(`${volid} is not in the snippets directory`)
    }
    requireVolume(cluster, volid, node)
  }
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

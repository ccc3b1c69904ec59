// The cloud-init endpoints: what the drive does not show yet, what it would be made from, and making it anew.
import {loadConf} from './conf.ts'
import {userData, instanceMetadata, networkData} from './cloudinit-data.ts'
import {makeCloudinitImage} from './cloudinit-image.ts'
import {cloudinitOption, isTrue} from './drive.ts'
import {typedValue} from './option-schema.ts'
import {MASK} from './read-config.ts'
import {hasPrivs} from '../../access/permissions.ts'
import {die} from '../../pve-error.ts'
import {splitList} from '../../schema/split-list.ts'
import {nodeOf, text, vmidOf, type Call} from '../../call.ts'

const OPTIONS = [
  'cicustom',
  'cipassword',
  'citype',
  'ciuser',
  'ciupgrade',
  'nameserver',
  'searchdomain',
  'sshkeys',
]

interface CloudinitRow {
  key: string
  value?: string | number
  pending?: string | number | null
  delete?: 1
}

export function readCloudinit(call: Call): CloudinitRow[] {
  const {config, cloudinit = {}} = loadConf(call.cluster.requireGuest('qemu', nodeOf(call), vmidOf(call)))
  const {added = '', ...recorded} = cloudinit
  for (const section of [config, recorded]) if ('cipassword' in section) section['cipassword'] = MASK
  const rows: CloudinitRow[] = splitList(added).map((key) => {
    const value = config[key]
    return {key, pending: value === undefined ? null : typedValue(key, value)}
  })
  for (const key of OPTIONS) {
    const value = config[key]
    if (value === undefined || !isTrue(value) || added.includes(key)) continue
    const old = recorded[key]
    const now = typedValue(key, value)
    rows.push(old !== undefined && isTrue(old) ? {key, value: old, pending: now} : {key, value: now})
  }
  for (const key of Object.keys(recorded)) if (!isTrue(config[key])) rows.push({key, delete: 1})
  return rows
}

export async function regenerateCloudinit(call: Call): Promise<null> {
  const {cluster} = call
  const [node, vmid] = [nodeOf(call), vmidOf(call)]
  await cluster.locks.withLock('qemu', vmid, () => {
    const guest = cluster.requireGuest('qemu', node, vmid)
    const {config} = loadConf(guest)
    if (config['lock'] !== undefined) die(`VM is locked (${config['lock']})`)
    if (cloudinitOption(config) === undefined) return
    makeCloudinitImage({cluster, node, vmid, subject: call, log: () => undefined}, guest)
  })
  return null
}

export function dumpCloudinit(call: Call): string {
  const vmid = vmidOf(call)
  const {config} = loadConf(call.cluster.requireGuest('qemu', nodeOf(call), vmid))
  const type = text(call, 'type')
  if (type === 'network') return networkData(config)
  if (type === 'meta') return instanceMetadata(config, vmid)
  return userData(config, vmid, !hasPrivs(call, `/vms/${String(vmid)}`, ['VM.Config.Cloudinit']))
}

// Templates of containers that Proxmox offers for download, a few of them; a download needs no network here.
import {createHash} from 'node:crypto'
import {nodeOf, text, type Call, type Route} from '../call.ts'
import {die, paramError} from '../pve-error.ts'
import {addVolume, findVolume, hasContent, requireStorage} from '../storage/volumes.ts'

const path = '/nodes/{node}/aplinfo'

export const routes: Route[] = [
  {method: 'GET', path, handler: () => OFFERED.map(describe)},
  {method: 'POST', path, handler: download},
]

const SOURCE = 'http://download.proxmox.com/images'
const DOWNLOAD_MS = 2000
const TEMPLATE_BYTES = 120 * 2 ** 20

interface Template {
  name: string
  version: string
  os: string
  suffix: string
}

const OFFERED: readonly Template[] = [
  {name: 'alpine-3.23-default', version: '20260116', os: 'alpine', suffix: 'tar.xz'},
  {name: 'debian-12-standard', version: '12.12-1', os: 'debian-12', suffix: 'tar.zst'},
  {name: 'debian-13-standard', version: '13.1-2', os: 'debian-13', suffix: 'tar.zst'},
  {name: 'fedora-43-default', version: '20260115', os: 'fedora', suffix: 'tar.xz'},
  {name: 'ubuntu-24.04-standard', version: '24.04-2', os: 'ubuntu-24.04', suffix: 'tar.zst'},
]

const fileOf = ({name, version, suffix}: Template): string => `${name}_${version}_amd64.${suffix}`

/** The sums are of the right form, not those of the real files. */
function describe(template: Template): Record<string, string> {
  const {name, version, os} = template
  const file = fileOf(template)
  const sum = (algorithm: string): string => createHash(algorithm).update(file).digest('hex')
  return {
    ...{package: name, version, type: 'lxc', os, section: 'system', architecture: 'amd64'},
    ...{template: file, location: `${SOURCE}/system/${file}`, source: SOURCE},
    ...{infopage: 'https://pve.proxmox.com', headline: `${name} (${version})`, description: ''},
    ...{maintainer: 'Proxmox Support Team <support@proxmox.com>'},
    ...{md5sum: sum('md5'), sha512sum: sum('sha512')},
  }
}

/** What is there already is not fetched again. */
function download(call: Call): string {
  const {cluster} = call
  const file = text(call, 'template')
  if (!OFFERED.some((t) => fileOf(t) === file)) paramError({template: 'no such template'})
  const storage = requireStorage(cluster, text(call, 'storage'), nodeOf(call))
  if (!hasContent(storage, 'vztmpl')) die(`storage '${storage.storage}' does not support templates`)
  const volid = `${storage.storage}:vztmpl/${file}`
  return cluster.tasks.start(nodeOf(call), 'download', file, call.principal.authid, async (task) => {
    task.log(`downloading ${SOURCE}/system/${file}`)
    if (findVolume(cluster, volid, nodeOf(call))) return
    await task.sleep(DOWNLOAD_MS)
    const format = `t${file.slice(file.lastIndexOf('.') + 1)}`
    addVolume(cluster, storage, nodeOf(call), {volid, content: 'vztmpl', format, size: TEMPLATE_BYTES})
  })
}

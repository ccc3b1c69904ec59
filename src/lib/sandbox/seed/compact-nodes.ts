// Nodes and storages of a compact seed.
import {parseSize} from '../schema/sizes.ts'
import {knownStorageTypes} from '../storage/storage-types.ts'
import {parseVolname} from '../storage/volume-names.ts'
import type {SeedObject} from './seed-reader.ts'
import type {Node, Storage, Volume} from '../state.ts'

const DAY_MS = 86_400_000

export function readNodes(seed: SeedObject, nowMs: number): Node[] {
  return seed.objects('nodes').map((from) => {
    from.allowOnly(['name', 'ip', 'online', 'cpus', 'memory', 'bridges', 'uptimeDays'])
    const bridges = from.object('bridges')
    return {
      name: from.text('name'),
      ip: from.text('ip'),
      online: from.flag('online', true),
      cpus: from.number('cpus', 4),
      memoryBytes: readSize(from, 'memory', '16G'),
      bridges: bridges.keys().map((iface) => {
        const address = bridges.optionalText(iface)
        return {iface, ...(address !== undefined && {address})}
      }),
      bootedMs: nowMs - from.number('uptimeDays', 30) * DAY_MS,
    }
  })
}

export function readSize(from: SeedObject, key: string, fallback?: string): number {
  const text = from.text(key, fallback)
  return parseSize(text) ?? from.fail(key, `is no size: ${text}`)
}

const fileExtensions: Record<string, string> = {
  'tar.gz': 'tgz',
  'tar.zst': 'tzst',
  'tar.xz': 'txz',
  iso: 'iso',
}

export function readStorages(seed: SeedObject, nodes: Node[]): Storage[] {
  const names = nodes.map((n) => n.name)
  return seed.objects('storages').map((from) => {
    from.allowOnly(['storage', 'type', 'nodes', 'shared', 'size', 'used', 'config', 'files'])
    const type = from.text('type')
    if (!knownStorageTypes.includes(type)) from.fail('type', `must be one of ${knownStorageTypes.join(', ')}`)
    const on = from.texts('nodes')
    const unknown = on.find((name) => !names.includes(name))
    if (unknown !== undefined) from.fail('nodes', `there is no node ${unknown}`)
    const storage: Storage = {
      storage: from.text('storage'),
      type,
      config: from.options('config'),
      ...(on.length > 0 && {nodes: on}),
      shared: from.flag('shared'),
      totalBytes: readSize(from, 'size', '100G'),
      usedBytes: readSize(from, 'used', '10G'),
      volumes: [],
    }
    if (storage.config['content'] === undefined) from.fail('config.content', 'missing')
    storage.volumes = readFiles(from, storage, on.length > 0 ? on : names)
    return storage
  })
}

/** `files`: volname → size; they lie on every node that has the storage. */
function readFiles(from: SeedObject, storage: Storage, nodes: string[]): Volume[] {
  const files = from.object('files')
  return files.keys().flatMap((volname) => {
    const {content} = parseVolname(storage, volname)
    const extension = Object.keys(fileExtensions).find((e) => volname.endsWith(`.${e}`))
    const volume: Volume = {
      volid: `${storage.storage}:${volname}`,
      format: fileExtensions[extension ?? ''] ?? (content === 'snippets' ? 'snippet' : 'raw'),
      content,
      size: readSize(files, volname),
      ctime: 1_767_225_600,
    }
    return storage.shared ? [volume] : nodes.map((node) => ({...volume, node}))
  })
}

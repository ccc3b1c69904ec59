// The HA manager's names of guests: `ct:101`, `vm:200`, or a bare vmid, whose kind the cluster knows.
import {die} from '../pve-error.ts'
import type {Cluster} from '../cluster.ts'
import type {HaResource, Kind} from '../state.ts'

export interface Service {
  sid: string
  /** `ct` or `vm`, or whatever else was written before the colon. */
  type: string
  name: string
}

export function parseSid(cluster: Cluster, text: string): Service {
  if (/^\d+$/.test(text)) {
    const guest =
      cluster.guest(Number(text)) ?? die(`unable to detect SID from VMID - VM/CT ${text} does not exist`)
    const type = guest.kind === 'lxc' ? 'ct' : 'vm'
    return {sid: `${type}:${text}`, type, name: text}
  }
  const [, type, name] = /^(\S+):(\S+)$/.exec(text) ?? die(`unable to parse service id '${text}'`)
  return {sid: text, type: type ?? '', name: name ?? ''}
}

const KINDS: Record<string, Kind | undefined> = {ct: 'lxc', vm: 'qemu'}

/** The guest behind a service, or what is wrong with it. */
export function requireService(cluster: Cluster, {sid, type, name}: Service): {kind: Kind; vmid: number} {
  const kind = KINDS[type] ?? die(`unknown section type '${type}'`)
  if (!/^[1-9][0-9]+$/.test(name)) die('invalid VMID')
  const vmid = Number(name)
  const guest = cluster.guest(vmid) ?? die(`resource '${sid}' does not exist in cluster`)
  if (guest.kind !== kind) {
    die(`resource '${sid}' - guest with ID ${name} is not a ${kind === 'lxc' ? 'container' : 'VM'}`)
  }
  return {kind, vmid}
}

export function findResource(cluster: Cluster, sid: string): HaResource | undefined {
  return cluster.state.ha.find((resource) => resource.sid === sid)
}

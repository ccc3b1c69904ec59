// May this caller plug a guest into that bridge? Access is granted on the whole bridge or on single VLANs of it.
import {requirePrivs, ROOT, type Subject} from '../access/permissions.ts'

/** The keys of a network device that name its bridge and its VLANs. */
export interface Uplink {
  bridge?: string | undefined
  tag?: string | undefined
  trunks?: string | undefined
}

export function checkBridgeAccess(subject: Subject, {bridge, tag, trunks}: Uplink): void {
  if (subject.principal.authid === ROOT || bridge === undefined) return
  const path = `/sdn/zones/localnetwork/${bridge}`
  const vlans = [...(tag ? [tag] : []), ...(trunks ? vlansOf(trunks) : [])]
  for (const vlan of vlans) requirePrivs(subject, `${path}/${vlan}`, ['SDN.Use'])
  if (vlans.length === 0) requirePrivs(subject, path, ['SDN.Use'])
}

/** `2;10-12` → 10, 11, 12, 2: by their texts, as Proxmox sorts them. */
function vlansOf(trunks: string): string[] {
  const vlans = new Set<string>()
  for (const range of trunks.split(';')) {
    const [first = '', last = first] = range.split('-')
    for (let vlan = Number(first); vlan <= Math.max(Number(first), Number(last)); vlan++)
      vlans.add(String(vlan))
  }
  return [...vlans].sort()
}

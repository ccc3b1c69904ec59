// What names a guest, and the grammars that a name must fit before it may become part of a path.

export const GUEST_KINDS = ['lxc', 'qemu'] as const
export type GuestKind = (typeof GUEST_KINDS)[number]

/** A guest by its kind and number, wherever it is. */
export interface GuestId {
  readonly kind: GuestKind
  readonly vmid: number
}

/** A guest at a place: what a request to Proxmox must name. */
export interface GuestAddress extends GuestId {
  readonly node: string
}

const NODE_NAME = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/
const VMID_MIN = 100
const VMID_MAX = 999_999_999

export function isNodeName(text: string): boolean {
  return NODE_NAME.test(text)
}

export function isVmid(value: number): boolean {
  return Number.isInteger(value) && value >= VMID_MIN && value <= VMID_MAX
}

/** `lxc/101`, as plans and messages write it. */
export function formatGuestId(guest: GuestId): string {
  return `${guest.kind}/${String(guest.vmid)}`
}

// A snapshot of a guest as Proxmox lists it; the pseudo entry for the present state is not one.

export interface Snapshot {
  readonly name: string
  /** Absent: the first, or one whose parent is gone. */
  readonly parent?: string
  /** Epoch seconds. */
  readonly snaptime?: number
  readonly description?: string
  /** Of a virtual machine: memory is part of it. */
  readonly vmstate: boolean
}

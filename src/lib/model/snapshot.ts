// A snapshot of a guest as Proxmox lists it; the pseudo entry for the present state is not one.

/** As Proxmox checks it; `current` stands for no snapshot. */
export const isSnapshotName = (text: string): boolean =>
  /^[A-Za-z][\w-]{1,39}$/.test(text) && text !== 'current'

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

// What makes one log different from another: which records it has and what they add up to. The log itself knows
// only lines, segments and the disk.

/** The first line of each segment. */
export interface LogHeader {
  readonly format: number
  readonly log: string
  /** One for all segments of a log: a segment of another log cannot take part. */
  readonly lineage: string
  readonly segment: number
  /** The last hash of the segment before; of the first, zeros. */
  readonly prev: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Whom the records are about. */
  readonly identity: Readonly<Record<string, string>>
  /** Segments that a repair has set aside, or found missing: the chain does not need them. */
  readonly aside: readonly number[]
}

/** A record read back: its type and time, and whatever its kind adds. */
export interface LogRecord {
  readonly seq: number
  readonly type: string
  readonly at: number
}

/** `Change`: what a record did, for those who follow the history. */
export interface LogKind<State, Change = unknown> {
  /** Also the folder's name. */
  readonly name: string
  /** What is known before the first record. */
  begin(header: LogHeader): State
  /** What a checkpoint holds. Throws BadRecord. */
  restore(checkpoint: Readonly<Record<string, unknown>>): State
  /** Takes a record in. Throws BadRecord if it cannot follow on what is known. */
  apply(state: State, record: LogRecord): Change
  /** A new segment begins, perhaps with another identity; called before its checkpoint is made. */
  turn(state: State, previous: LogHeader, next: LogHeader): void
  /** All that must not be lost with the segments before. Must not depend on the order of anything but records. */
  checkpoint(state: State): Readonly<Record<string, unknown>>
}

export const FORMAT = 1

/** A whole and unaltered line that cannot stand where it stands. */
export class BadRecord extends Error {}

/** Written by a felhom that knows more than this one: no damage, and nothing to repair. */
export class NewerRecord extends BadRecord {}

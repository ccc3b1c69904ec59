// The records of the nonce log as they stand in the file. A nonce is used once, by being burned or by being
// rejected; the marks only go forward but for the operator's own word.

export interface UsedNonce {
  readonly nonce: string
  readonly state: 'burned' | 'rejected'
  /** `sha256:…` of the signed bytes. */
  readonly statement: string
  /** When the statement ends. */
  readonly expMs: number
  /** When it was used, by the clock of then. */
  readonly atMs: number
  /** Of a rejected one. */
  readonly reason?: string
}

export type NonceEntry =
  | {readonly type: 'burned'; readonly nonce: string; readonly statement: string; readonly expMs: number}
  | {
      readonly type: 'rejected'
      readonly nonce: string
      readonly statement: string
      readonly expMs: number
      readonly reason: string
    }
  | {readonly type: 'mark'; readonly clockMs?: number; readonly trust?: number; readonly trustHash?: string}
  | {readonly type: 'clock_reset'; readonly clockMs: number; readonly by: string}
  /** What ended before this time is forgotten, and may not be used from here on. */
  | {readonly type: 'dropped'; readonly beforeMs: number}

/** An entry in its place: `at` is epoch milliseconds. */
export type NonceRecord = NonceEntry & {readonly seq: number; readonly at: number}

const TYPES = {
  burned: true,
  rejected: true,
  mark: true,
  clock_reset: true,
  dropped: true,
} as const satisfies Record<NonceEntry['type'], true>

export const isNonceEntryType = (type: string): type is NonceEntry['type'] => Object.hasOwn(TYPES, type)

// Whether what was kept came from the source that is set now: nothing of another one is used.
import type {SourceKind} from '../model/daemon.ts'

export interface KnownSource {
  readonly kind: SourceKind
  readonly place: string
  /** Of what the place does not show. */
  readonly mark?: string | undefined
}

/** What was kept by a felhom that knew no marks is told by its place alone. */
export const isSameSource = (kept: KnownSource, now: KnownSource): boolean =>
  kept.kind === now.kind && kept.place === now.place && (kept.mark === undefined || kept.mark === now.mark)

// What `doctor` found: one finding per thing it looked at.

/** `note`: nothing to mend, but worth knowing. `skipped`: could not be looked at because of another finding. */
export type Verdict = 'ok' | 'note' | 'mend' | 'skipped'

export interface Finding {
  /** Stable, for machines. */
  id: string
  title: string
  verdict: Verdict
  /** What was seen. */
  detail: string
  /** What to do, in words. */
  advice?: string
  /** Commands that mend it, ready to copy. */
  commands?: string[]
}

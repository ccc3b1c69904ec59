// A source that gave nothing of use, and why, as one clause.

export type FailedFetch =
  | {readonly kind: 'away'; readonly problem: string}
  /** It answered with something that cannot be used: too large, cut short, not what a bundle looks like. */
  | {readonly kind: 'unusable'; readonly problem: string}

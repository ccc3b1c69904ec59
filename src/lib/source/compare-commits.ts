// Whether a commit comes before another, as far as the copy of the repository reaches.
import {isShallow} from './git-cache.ts'
import {explainGit, runGit, type GitPlace} from './run-git.ts'

export interface Comparison {
  readonly place: GitPlace
  /** Brings more of the history of a shallow copy. */
  readonly deepen: () => Promise<unknown>
  /** Tries to bring one commit, by its name. */
  readonly bring: (commit: string) => Promise<void>
}

const COMMIT = /^[0-9a-f]{40,64}$/

/** `problem`: git could not look at the history, which says nothing about the commit. */
export type Compared = {readonly older?: string} | {readonly problem: string}

/** Why `commit` is held to be older than `seen`, if it is. What cannot be told from what is there is held to be. */
export async function compareCommits(
  commit: string,
  seen: string,
  {place, deepen, bring}: Comparison,
): Promise<Compared> {
  if (!COMMIT.test(seen)) return {}
  if (!(await has(seen, place))) await bring(seen)
  const first = await relate(commit, seen, place)
  if (first !== 'unknown') return explain(first, commit, seen)
  if (isShallow(place.gitDir)) await deepen()
  return explain(await relate(commit, seen, place), commit, seen)
}

type Relation = 'older' | 'newer' | 'apart' | 'unknown' | {readonly problem: string}

function explain(relation: Relation, commit: string, seen: string): Compared {
  if (typeof relation === 'object') return relation
  const [now, before] = [commit.slice(0, 12), seen.slice(0, 12)]
  if (relation === 'older') return {older: `commit ${now} comes before ${before}, which was seen`}
  if (relation !== 'unknown') return {}
  return {
    older: `whether commit ${now} comes before ${before}, which was seen, cannot be told from the history that was fetched`,
  }
}

async function relate(commit: string, seen: string, place: GitPlace): Promise<Relation> {
  if (!(await has(seen, place))) return 'unknown'
  const isNewer = await isAncestor(seen, commit, place)
  if (typeof isNewer === 'object') return isNewer
  if (isNewer) return 'newer'
  const isOlder = await isAncestor(commit, seen, place)
  if (typeof isOlder === 'object') return isOlder
  if (isOlder) return 'older'
  return isShallow(place.gitDir) ? 'unknown' : 'apart'
}

async function has(commit: string, place: GitPlace): Promise<boolean> {
  const run = await runGit(['cat-file', '-e', `${commit}^{commit}`], place)
  return 'code' in run && run.code === 0
}

/** 0 is yes and 1 is no; with anything else git has not answered, and that must not be taken for a no. */
async function isAncestor(
  above: string,
  below: string,
  place: GitPlace,
): Promise<boolean | {readonly problem: string}> {
  const run = await runGit(['merge-base', '--is-ancestor', above, below], place)
  if ('problem' in run) return {problem: run.problem}
  if (run.code === 0 || run.code === 1) return run.code === 0
  return {problem: `how the commits stand to each other cannot be told: ${explainGit(run.stderr)}`}
}

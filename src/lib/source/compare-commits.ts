// Whether a commit comes before another, as far as the copy of the repository reaches.
import {isShallow} from './git-cache.ts'
import {runGit, type GitPlace} from './run-git.ts'

export interface Comparison {
  readonly place: GitPlace
  /** Brings more of the history of a shallow copy. */
  readonly deepen: () => Promise<unknown>
  /** Tries to bring one commit, by its name. */
  readonly bring: (commit: string) => Promise<void>
}

const COMMIT = /^[0-9a-f]{40,64}$/

/** Why `commit` is held to be older than `seen`; undefined: it is not. What cannot be told is held to be. */
export async function compareCommits(
  commit: string,
  seen: string,
  {place, deepen, bring}: Comparison,
): Promise<string | undefined> {
  if (!COMMIT.test(seen)) return undefined
  if (!(await has(seen, place))) await bring(seen)
  const first = await relate(commit, seen, place)
  if (first !== 'unknown') return explain(first, commit, seen)
  if (isShallow(place.gitDir)) await deepen()
  return explain(await relate(commit, seen, place), commit, seen)
}

type Relation = 'older' | 'newer' | 'apart' | 'unknown'

function explain(relation: Relation, commit: string, seen: string): string | undefined {
  const [now, before] = [commit.slice(0, 12), seen.slice(0, 12)]
  if (relation === 'older') return `commit ${now} comes before ${before}, which was seen`
  if (relation !== 'unknown') return undefined
  return `whether commit ${now} comes before ${before}, which was seen, cannot be told from the history that was fetched`
}

async function relate(commit: string, seen: string, place: GitPlace): Promise<Relation> {
  if (!(await has(seen, place))) return 'unknown'
  if (await isAncestor(seen, commit, place)) return 'newer'
  if (await isAncestor(commit, seen, place)) return 'older'
  return isShallow(place.gitDir) ? 'unknown' : 'apart'
}

async function has(commit: string, place: GitPlace): Promise<boolean> {
  const run = await runGit(['cat-file', '-e', `${commit}^{commit}`], place)
  return 'code' in run && run.code === 0
}

async function isAncestor(above: string, below: string, place: GitPlace): Promise<boolean> {
  const run = await runGit(['merge-base', '--is-ancestor', above, below], place)
  return 'code' in run && run.code === 0
}

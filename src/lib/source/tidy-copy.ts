// How large the copy of a repository may grow. Every fetch that brings something leaves a pack, and a branch that is
// forced to something unrelated leaves all that it was before.
import {countPacks, dropCache, sizeOfPacks, sweepCache} from './git-cache.ts'
import {runGit, type GitPlace} from './run-git.ts'

const MAX_PACKS = 50
const COMMIT = /^[0-9a-f]{40,64}$/

/**
 * Leaves of a copy with many or large packs what the branch and the commit that was `seen` lead to. If that cannot be
 * done, or is too much even so, the copy goes: the next fetch brings it anew, and asks for what was seen by its name.
 */
export async function tidyCopy(seen: string | undefined, place: GitPlace): Promise<void> {
  const {gitDir, limits} = place
  const isLarge = (): boolean => sizeOfPacks(gitDir) > limits.maxCopyBytes
  if (countPacks(gitDir) <= MAX_PACKS && !isLarge()) return
  if (seen !== undefined && COMMIT.test(seen)) await runGit(['update-ref', 'refs/felhom/seen', seen], place)
  const run = await runGit(['repack', '-a', '-d', '-q'], inHalfTheTime(place))
  const isDone = 'code' in run && run.code === 0
  // Half a pack of our own would be taken for what a fetch has left of a source that is too large.
  if (!isDone) sweepCache(gitDir)
  if (isLarge() || (!isDone && countPacks(gitDir) > 2 * MAX_PACKS)) dropCache(gitDir)
}

/** Packing is tried again at every fetch: if it took all the time, nothing would ever be fetched any more. */
function inHalfTheTime(place: GitPlace): GitPlace {
  const nowMs = performance.now()
  return {...place, endsAtMs: nowMs + (place.endsAtMs - nowMs) / 2}
}

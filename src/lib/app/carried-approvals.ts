// Approvals that lie beside the desired state, in `approvals/` of the directories that it is read from. They add no
// trust: the gate verifies them like those of the approvals directory.
import {statSync} from 'node:fs'
import {resolve} from 'node:path'
import {FelhomError, isFelhomError} from '../model/felhom-error.ts'
import {readCarried} from '../source/read-carried.ts'
import type {CarriedEnvelope} from '../source/source.ts'
import type {DesiredProvider} from './ports.ts'

export function readApprovalsBeside(paths: readonly string[], cwd: string): readonly CarriedEnvelope[] {
  const dirs = paths.map((path) => resolve(cwd, path)).filter(isDirectory)
  const found = readCarried(dirs, 'approvals')
  if (typeof found !== 'string') return found
  throw new FelhomError('source_refused', `the approvals beside the desired state cannot be used: ${found}`, {
    doubt: 'Nothing was changed.',
  })
}

const isDirectory = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isDirectory() === true

/** For what was planned before: a source that cannot be asked now is no reason against what needs nothing of it. */
export async function fetchApprovals(provider: DesiredProvider): Promise<readonly CarriedEnvelope[]> {
  try {
    await provider.load()
    return (await provider.approvals?.()) ?? []
  } catch (error) {
    if (isFelhomError(error)) return []
    throw error
  }
}

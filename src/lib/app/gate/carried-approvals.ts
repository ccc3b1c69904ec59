// Approvals that lie beside the desired state, in `approvals/` of the directories that it is read from. They add no
// trust: the gate verifies them like those of the approvals directory.
import {statSync} from 'node:fs'
import {resolve} from 'node:path'
import {describeFault} from '../../desired/find-files.ts'
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import {readCarried} from '../../source/read-carried.ts'
import type {CarriedEnvelope} from '../../source/source.ts'
import type {ApplyWork} from '../apply/apply-work.ts'
import type {DesiredProvider} from '../ports.ts'

export function readApprovalsBeside(paths: readonly string[], cwd: string): readonly CarriedEnvelope[] {
  const found = attempt(() => {
    const dirs = paths.map((path) => resolve(cwd, path)).filter(isDirectory)
    return readCarried(dirs, 'approvals')
  })
  if (typeof found !== 'string') return found
  throw new FelhomError('source_refused', `the approvals beside the desired state cannot be used: ${found}`, {
    doubt: 'Nothing was changed.',
  })
}

function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    const {path} = error as NodeJS.ErrnoException
    const what = path === undefined ? 'the approvals beside the desired state' : path
    throw new FelhomError('source_away', `${what}: ${describeFault(error)}`, {
      cause: error,
      hint: 'Let felhom read what lies in approvals/, or take it away.',
      doubt: 'Nothing was changed.',
    })
  }
}

const isDirectory = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isDirectory() === true

/** For what was planned before: a source that cannot be asked now is no reason against what needs nothing of it. */
export async function fetchApprovals(
  provider: DesiredProvider,
): Promise<Pick<ApplyWork, 'approvals' | 'approvalsProblem'>> {
  try {
    await provider.load()
    return {approvals: (await provider.approvals?.()) ?? []}
  } catch (error) {
    if (isFelhomError(error) && error.code !== 'interrupted') return {approvalsProblem: error.message}
    throw error
  }
}

/** That an approval is wanting is half of the truth where it may lie where nobody could look. */
export function warnOfLost({approvalsProblem: why}: ApplyWork, warn: (text: string) => void): void {
  if (why !== undefined) warn(`Approvals that come with the desired state are not counted: ${why}`)
}

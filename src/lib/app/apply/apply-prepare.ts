// Opens what an apply is to carry out: the files, or a saved plan and with it the files for its secrets alone.
import type {ApplyWork} from './apply-work.ts'
import {workFromFiles} from './apply-work.ts'
import {needsSecrets, workFromPlan} from './apply-saved-plan.ts'
import {fetchApprovals} from '../gate/carried-approvals.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {openDesired, type DesiredRequest} from '../source/open-desired.ts'
import {readPlan} from '../plan/read-plan.ts'
import {useDesired} from '../source/use-desired.ts'

export interface WorkRequest extends DesiredRequest {
  readonly env: NodeJS.ProcessEnv
  readonly targets: readonly string[]
  /** A file that `felhom plan --out` wrote. */
  readonly planFile: string | undefined
}

export async function prepareWork(request: WorkRequest): Promise<ApplyWork> {
  const {env, targets, planFile, cwd} = request
  if (planFile === undefined) {
    const provider = openDesired(request)
    const work = workFromFiles(await useDesired(provider), targets, env)
    return {...work, approvals: (await provider.approvals?.()) ?? []}
  }
  if (targets.length > 0) {
    throw new FelhomError(
      'usage',
      'a saved plan is carried out as it is: --target cannot take a part of it',
      {
        hint: 'Make a plan for the targets: felhom plan --target GUEST --out FILE',
        doubt: 'Nothing was changed.',
      },
    )
  }
  const plan = readPlan(cwd, planFile)
  const desired = needsSecrets(plan) && hasFiles(request) ? await useDesired(openDesired(request)) : undefined
  const work = workFromPlan({plan, file: planFile, desired}, env)
  const isDestructive = plan.guests.some(({actions}) => actions.some((one) => one.class === 'destructive'))
  if (!isDestructive || !hasFiles(request)) return work
  return {...work, ...(await fetchApprovals(openDesired(request)))}
}

const hasFiles = ({paths, setting}: DesiredRequest): boolean => paths.length > 0 || setting !== undefined

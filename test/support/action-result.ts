// Results of actions made up for a test.
import type {ActionBody, PlannedAction} from '../../src/lib/model/plan.ts'
import type {ActionResult} from '../../src/lib/model/run-event.ts'

export const plannedAction = (body: ActionBody, change: Partial<PlannedAction> = {}): PlannedAction =>
  ({
    ...body,
    why: 'it is desired',
    impact: 'live',
    reversible: true,
    class: 'benign',
    needs: [],
    blockers: [],
    ...change,
  }) as PlannedAction

export const setOptions = (...options: string[]): PlannedAction =>
  plannedAction({
    type: 'set-config',
    changes: options.map((option) => ({
      option: option.replace(/^-/, ''),
      before: '1',
      after: option.startsWith('-') ? undefined : '2',
      impact: 'live',
      reversible: true,
      class: 'benign',
    })),
  })

export const actionResult = (
  vmid: number,
  action: PlannedAction,
  outcome: ActionResult['outcome'],
  change: Partial<ActionResult> = {},
): ActionResult => ({
  guest: {kind: 'lxc', vmid},
  node: 'pve1',
  name: `guest-${vmid}`,
  action,
  outcome,
  ...change,
})

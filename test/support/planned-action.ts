// Planned actions made up for a test.
import type {ActionBody, GuestPlan, OptionChange, PlannedAction} from '../../src/lib/model/plan.ts'

export const plannedAction = (body: ActionBody, change: Partial<PlannedAction> = {}): PlannedAction =>
  ({
    ...body,
    why: 'a test wants it',
    impact: 'live',
    reversible: true,
    class: 'benign',
    needs: [],
    blockers: [],
    ...change,
  }) as PlannedAction

export const optionChange = (
  option: string,
  before: string | undefined,
  after: string | undefined,
): OptionChange => ({option, before, after, impact: 'live', reversible: true, class: 'benign'})

export const guestPlan = (vmid: number, actions: readonly PlannedAction[]): GuestPlan => ({
  kind: 'lxc',
  vmid,
  name: `guest-${vmid}`,
  node: 'pve1',
  exists: true,
  run: 'running',
  liveDigest: undefined,
  actions,
  unchangedOptions: 0,
  problems: [],
})

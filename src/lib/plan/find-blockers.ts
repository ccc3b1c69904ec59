// What stands in the way of an action now. An action with a blocker is shown and would not be carried out.
import {operationOfChange} from '../catalog/operation-of-change.ts'
import {findOption} from '../catalog/option.ts'
import type {ActualCluster, ActualGuest} from '../model/actual.ts'
import type {GuestKind} from '../model/guest.ts'
import type {Blocker, GuestPlan, Need, OptionChange, PlannedAction} from '../model/plan.ts'

/** Whether the token holds one of these privileges on that path; undefined: it is not known. */
export type Held = (path: string, anyOf: readonly string[]) => boolean | undefined

export interface Circumstances {
  readonly cluster: ActualCluster
  readonly guest: ActualGuest | undefined
  readonly held: Held | undefined
}

export function blockActions(
  action: PlannedAction,
  plan: GuestPlan,
  circumstances: Circumstances,
): PlannedAction {
  const blockers = [
    ...clusterBlockers(circumstances.cluster),
    ...guestBlockers(action, circumstances.guest),
    ...privilegeBlockers(action.needs, circumstances.held),
    ...gateBlockers(action, plan.kind),
    ...(action.type === 'start' && plan.exists && circumstances.guest?.template ? [templateBlocker] : []),
  ]
  return {...action, blockers}
}

/**
 * What one action cannot do, the action that serves it shall not begin: no shutdown for a destruction that will be
 * refused, no restart for a value that was never written, no start of a guest that was never made.
 */
export function blockTogether(actions: readonly PlannedAction[]): PlannedAction[] {
  const together = shareBlockers(actions, isServedBy)
  return shareBlockers(together, (power, action) => {
    const isBehind = together.indexOf(power) < together.indexOf(action)
    return isBehind && isAwaited(power, action)
  })
}

type Relation = (main: PlannedAction, other: PlannedAction) => boolean

function shareBlockers(actions: readonly PlannedAction[], isBound: Relation): PlannedAction[] {
  return actions.map((action) => {
    const others = actions.filter((main) => isBound(main, action)).flatMap(({blockers}) => blockers)
    if (others.length === 0) return action
    const all = new Map([...action.blockers, ...others].map((blocker) => [blocker.message, blocker]))
    return {...action, blockers: [...all.values()]}
  })
}

function isServedBy(main: PlannedAction, servant: PlannedAction): boolean {
  if (servant.type === 'shutdown') return main.type === 'destroy'
  if (servant.type === 'start') return main.type === 'create'
  return servant.type === 'restart' && main.type === 'set-config' && main.impact === 'restart'
}

/** A disk that grows behind a change of the run state grows only if that takes place. */
const isAwaited = (power: PlannedAction, action: PlannedAction): boolean =>
  action.type === 'resize' && ['restart', 'start', 'shutdown'].includes(power.type)

const templateBlocker: Blocker = {code: 'template', message: 'a template cannot be started'}

function clusterBlockers({quorum}: ActualCluster): Blocker[] {
  return quorum === 'lost'
    ? [{code: 'no_quorum', message: 'the cluster has no quorum and takes no changes'}]
    : []
}

function guestBlockers(action: PlannedAction, guest: ActualGuest | undefined): Blocker[] {
  if (!guest) return []
  const blockers: Blocker[] = []
  if (guest.lock !== undefined)
    blockers.push({code: 'locked', message: `locked (${guest.lock}): hands off until it is released`})
  if (losesVolumes(action)) {
    if (isProtected(guest))
      blockers.push({
        code: 'protected',
        message: 'protection is on: Proxmox refuses to remove it or its disks',
      })
    if (action.type === 'destroy' && guest.ha.managed === true) {
      blockers.push({code: 'ha_managed', message: 'it is managed by HA: remove it there first'})
    }
  } else if (action.type === 'set-config' && action.changes.some((change) => isRefusedDisk(change, guest))) {
    blockers.push({code: 'protected', message: 'protection is on: Proxmox changes none of its disks'})
  }
  return blockers
}

/** Of a protected container no volume may be added or changed; of a machine they may. */
export const isRefusedDisk = ({option}: OptionChange, guest: ActualGuest): boolean =>
  guest.kind === 'lxc' && isProtected(guest) && findOption('lxc', option)?.isDisk === true

const losesVolumes = (action: PlannedAction): boolean =>
  action.type === 'destroy' ||
  (action.type === 'set-config' &&
    action.changes.some((c) => c.class === 'destructive' && c.option !== 'protection'))

const isProtected = ({config}: ActualGuest): boolean => config.known && config.current['protection'] === '1'

function privilegeBlockers(needs: readonly Need[], held: Held | undefined): Blocker[] {
  return needs.flatMap(({path, anyOf, rootOnly}): Blocker[] => {
    if (rootOnly) return [{code: 'root_only', message: 'only root@pam itself may do this, no API token'}]
    if (!held || held(path, anyOf) !== false) return []
    return [{code: 'privilege_missing', message: `the token lacks ${anyOf.join(' or ')} on ${path}`}]
  })
}

function gateBlockers(action: PlannedAction, kind: GuestKind): Blocker[] {
  const blockers: Blocker[] = []
  if (action.class === 'destructive') {
    const unsignable = findUnsignable(action, kind)
    blockers.push(
      unsignable === undefined
        ? {code: 'needs_signature', message: "it can lose data and needs an operator's signature"}
        : {code: 'cannot_be_signed', message: `${unsignable}: do it in Proxmox, then write what is there`},
    )
  }
  if (action.type === 'migrate') blockers.push({code: 'not_yet', message: 'felhom does not move guests yet'})
  return blockers
}

/** Why no signature can allow it, as one clause; undefined: one can. */
function findUnsignable(action: PlannedAction, kind: GuestKind): string | undefined {
  if (action.type === 'create') return 'it would take volumes that may hold data of others'
  if (action.type !== 'set-config') return undefined
  const lost = action.changes.find(({option: name, after, class: weight}) => {
    const option = findOption(kind, name)
    return (
      weight === 'destructive' &&
      option &&
      !operationOfChange(option, after === undefined ? 'removed' : 'written')
    )
  })
  return lost && `changing ${lost.option} in this way can lose data, and no signature can allow it`
}

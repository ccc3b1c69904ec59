// A guest that is desired and does not exist: created where the files say how, else an error that says so.
import type {ActualCluster} from '../model/actual.ts'
import type {DesiredCreate, DesiredGuest} from '../model/desired.ts'
import type {CreateOrigin, GuestPlan, Need, PlannedAction, PlanProblem} from '../model/plan.ts'
import {describeCreation} from './describe-creation.ts'
import {planStart} from './plan-run-state.ts'
import {uniqueNeeds} from './unique-needs.ts'

export function planCreation(desired: DesiredGuest, cluster: ActualCluster, base: GuestPlan): GuestPlan {
  const {create} = desired
  if (!create)
    return {
      ...base,
      problems: [
        problem(
          desired,
          'no_create',
          `${label(desired)} does not exist, and there is no 'create' that says how to make it`,
        ),
      ],
    }
  const node = chooseNode(desired, cluster)
  if ('problem' in node) return {...base, problems: [node.problem]}
  const {changes, needs, problems} = describeCreation(desired, create)
  if (problems.length > 0) return {...base, name: nameOf(desired), node: node.name, problems}
  const action: PlannedAction = {
    type: 'create',
    from: originOf(create),
    options: changes,
    why: 'it is desired and does not exist',
    impact: 'none',
    reversible: true,
    class: changes.every((change) => change.class === 'benign') ? 'benign' : 'destructive',
    needs: uniqueNeeds([...createNeeds(desired, create), ...needs]),
    blockers: [],
  }
  const actions = desired.run === 'running' ? [action, planStart(desired.vmid)] : [action]
  return {...base, name: nameOf(desired), node: node.name, run: 'stopped', actions}
}

const label = (desired: DesiredGuest): string => `${desired.kind}/${desired.vmid}`

const problem = (desired: DesiredGuest, code: string, message: string): PlanProblem => ({
  code,
  severity: 'error',
  message,
  place: desired.create?.place ?? desired.place,
})

/** The first node that was named and is online; of a single node there is no choice. */
function chooseNode(desired: DesiredGuest, cluster: ActualCluster): {name: string} | {problem: PlanProblem} {
  const online = cluster.nodes.filter((node) => node.online).map((node) => node.name)
  const wanted = desired.nodes ?? (cluster.nodes.length === 1 ? online : undefined)
  if (!wanted)
    return {
      problem: problem(
        desired,
        'no_node',
        `${label(desired)} shall be created, but on which node? Name one with 'node'`,
      ),
    }
  const unknown = wanted.filter((name) => !cluster.nodes.some((node) => node.name === name))
  if (unknown.length > 0)
    return {
      problem: problem(desired, 'unknown_node', `there is no node ${unknown.join(', ')} in the cluster`),
    }
  const name = wanted.find((candidate) => online.includes(candidate))
  if (name === undefined)
    return {
      problem: problem(
        desired,
        'node_offline',
        `${wanted.join(', ')} is offline: ${label(desired)} cannot be created there`,
      ),
    }
  return {name}
}

function originOf({from, storage}: DesiredCreate): CreateOrigin {
  return {...from, ...(storage !== undefined && {storage})}
}

function createNeeds(desired: DesiredGuest, create: DesiredCreate): Need[] {
  const needs: Need[] = [{path: `/vms/${desired.vmid}`, anyOf: ['VM.Allocate']}]
  if (create.storage !== undefined)
    needs.push({path: `/storage/${create.storage}`, anyOf: ['Datastore.AllocateSpace']})
  if ('clone' in create.from) needs.push({path: `/vms/${create.from.clone}`, anyOf: ['VM.Clone']})
  return needs
}

function nameOf(desired: DesiredGuest): string | undefined {
  const value = desired.options.get(desired.kind === 'lxc' ? 'hostname' : 'name')?.value
  return value?.is === 'text' ? value.text : undefined
}

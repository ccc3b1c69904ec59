// Power actions on guests under the HA manager: the request ends at once, the state follows some seconds later.
import {haResource} from './status.ts'
import type {Cluster} from '../cluster.ts'
import type {Kind} from '../state.ts'

/** The manager and the node's agent each look every few seconds. */
const HA_REACTION_MS = 5_000

/** Notes the wanted state; `act` brings it about later, unless another state was asked for meanwhile. */
export function requestHaState(
  cluster: Cluster,
  kind: Kind,
  vmid: number,
  state: string,
  act: () => void,
): void {
  const resource = haResource(cluster, kind, vmid)
  if (!resource) return
  resource.state = state
  requestHaAction(cluster, () => {
    if (haResource(cluster, kind, vmid) === resource && resource.state === state) act()
  })
}

/** Something that the manager does when it next looks, a migration for example. */
export function requestHaAction(cluster: Cluster, act: () => void): void {
  void cluster.clock.sleep(HA_REACTION_MS).then(act)
}

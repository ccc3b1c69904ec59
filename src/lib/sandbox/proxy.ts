// Requests for another node of the cluster: answered by the same core while that node is online, else with
// the 595 of a connection that failed or the 500 of a name that does not resolve.
import type {Cluster} from './cluster.ts'
import {die, paramError} from './pve-error.ts'
import {plainAnswer, type ApiAnswer} from './answer.ts'

const NO_ROUTE = 'No route to host'
const NO_ROUTE_DELAY_MS = 3000

export type NodeLocation = {name: string; plain?: undefined} | {plain: ApiAnswer}

/** `name` is the value of the parameter `param`, which says who must answer. */
export async function locateNode(cluster: Cluster, name: unknown, param: string): Promise<NodeLocation> {
  const {localNode, unreachableNodes} = cluster.state
  if (typeof name !== 'string' || name === '') paramError({[param]: 'proxyto parameter does not exist'})
  if (name === 'localhost' || name === localNode) return {name: localNode}
  const node = cluster.node(name)
  if (node?.online) return {name}
  const reason = node ? NO_ROUTE : unreachableNodes.find((n) => n.name === name)?.reason
  if (reason === undefined) {
    die(
      `hostname lookup '${name}' failed - failed to get address info for: ${name}: Name or service not known`,
    )
  }
  if (reason === NO_ROUTE) await cluster.clock.sleep(NO_ROUTE_DELAY_MS)
  return {plain: plainAnswer(595, reason, '')}
}

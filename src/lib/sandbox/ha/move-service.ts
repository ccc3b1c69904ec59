// What the HA manager does when a service shall run elsewhere.
import {migrateForHa as migrateContainer} from '../lxc/lifecycle/migrate.ts'
import {migrateForHa as migrateMachine} from '../qemu/lifecycle/migrate.ts'
import type {Cluster} from '../cluster.ts'

/** A service that is there already, or whose target is not part of the cluster, stays where it is. */
export function moveService(cluster: Cluster, vmid: number, target: string): void {
  const guest = cluster.guest(vmid)
  if (!guest || guest.node === target || !cluster.node(target)?.online) return
  const migrate = guest.kind === 'lxc' ? migrateContainer : migrateMachine
  migrate(cluster, guest, target)
}

// The lock on a guest's config file: one holder at a time, waiters in order of arrival, and a control that
// lets "somebody else" hold it for a while. A waiter gives up after its time-out as Proxmox does.
import {die} from '../pve-error.ts'
import {refuseChanges, type ReadOnlyHost} from './read-only-config.ts'
import type {Clock} from '../clock.ts'
import type {Kind} from '../state.ts'

const POLL_MS = 50

/** What the locks need of the cluster. */
export interface LockHost extends ReadOnlyHost {
  readonly clock: Clock
  readonly state: {readonly quorate: boolean}
}

export class ConfigLocks {
  readonly #cluster: LockHost
  readonly #held = new Set<number>()
  /** Vmid → how many share its lock. */
  readonly #shared = new Map<number, number>()

  constructor(cluster: LockHost) {
    this.#cluster = cluster
  }

  async withLock<T>(kind: Kind, vmid: number, work: () => T | Promise<T>, timeoutMs = 10_000): Promise<T> {
    await this.#take(kind, vmid, timeoutMs, () => {
      if (this.#isHeld(vmid) || this.#shared.has(vmid)) return false
      this.#held.add(vmid)
      return true
    })
    try {
      return await (this.#cluster.state.quorate ? work() : refuseChanges(this.#cluster, vmid, work))
    } finally {
      this.#held.delete(vmid)
    }
  }

  /** Beside others that only read, as clones of one source do; whoever wants it alone waits for all of them. */
  async withSharedLock<T>(
    kind: Kind,
    vmid: number,
    work: () => T | Promise<T>,
    timeoutMs = 10_000,
  ): Promise<T> {
    await this.#take(kind, vmid, timeoutMs, () => {
      if (this.#isHeld(vmid)) return false
      this.#shared.set(vmid, (this.#shared.get(vmid) ?? 0) + 1)
      return true
    })
    try {
      return await work()
    } finally {
      const others = (this.#shared.get(vmid) ?? 1) - 1
      if (others > 0) this.#shared.set(vmid, others)
      else this.#shared.delete(vmid)
    }
  }

  /** Looking and taking are one step, or two waiters would both find it free. */
  async #take(kind: Kind, vmid: number, timeoutMs: number, tryTake: () => boolean): Promise<void> {
    const {clock} = this.#cluster
    const deadline = clock.now() + timeoutMs
    while (!tryTake()) {
      if (clock.now() >= deadline) die(`can't lock file '${lockFile(kind, vmid)}' - got timeout`)
      await clock.sleep(POLL_MS)
    }
  }

  #isHeld(vmid: number): boolean {
    const until = this.#cluster.guest(vmid)?.knobs.configLockHeldUntilMs
    return this.#held.has(vmid) || (until !== undefined && until > this.#cluster.clock.now())
  }
}

function lockFile(kind: Kind, vmid: number): string {
  const id = String(vmid)
  return kind === 'lxc' ? `/run/lock/lxc/pve-config-${id}.lock` : `/var/lock/qemu-server/lock-${id}.conf`
}

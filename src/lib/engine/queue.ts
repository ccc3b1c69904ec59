// The one way by which changes reach Proxmox, whoever asks for them. A guest has one lane: what is submitted for it
// runs strictly in that order, one at a time. Guests run beside each other, a bounded number of them per node.
import PQueue from 'p-queue'
import {FelhomError} from '../model/felhom-error.ts'
import type {GuestAddress} from '../model/guest.ts'

export interface QueueOptions {
  /** How many jobs may run on one node at a time. */
  readonly perNode: number
}

export class Queue {
  readonly #perNode: number
  /** By vmid, which is unique over both kinds. Only those with work. */
  readonly #lanes = new Map<number, PQueue>()
  readonly #nodes = new Map<string, PQueue>()
  #closed = false

  constructor({perNode}: QueueOptions) {
    this.#perNode = perNode
  }

  /**
   * One job is one change, from its fresh read until its task has ended: all that time it holds its guest's lane and
   * a place on its node. `also` are further guests that nobody may change meanwhile, such as the source of a copy.
   * What the job throws goes to its submitter alone; the next in the lane runs all the same.
   */
  async submit<T>(
    {vmid, node}: Pick<GuestAddress, 'vmid' | 'node'>,
    job: () => Promise<T>,
    also: readonly number[] = [],
  ): Promise<T> {
    if (this.#closed) throw new FelhomError('unexpected', 'a change was submitted to a queue that is closed')
    // All lanes are entered at once: who was first is first in each of them, so that nobody waits in a ring.
    const leaves = await Promise.all([...new Set([vmid, ...also])].map((one) => this.#enter(one)))
    try {
      // The lane first: who waits for the guest must not take a place on the node.
      return await this.#node(node).add(job)
    } finally {
      for (const leave of leaves) leave()
    }
  }

  /** Takes nothing more, and resolves when all that was submitted has ended. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#lanes.values()].map((lane) => lane.onIdle()))
  }

  /** Resolves when it is this one's turn, with the way out. */
  #enter(vmid: number): Promise<() => void> {
    let lane = this.#lanes.get(vmid)
    if (!lane) {
      lane = new PQueue({concurrency: 1})
      lane.once('idle', () => this.#lanes.delete(vmid))
      this.#lanes.set(vmid, lane)
    }
    const ours = lane
    return new Promise((come) => {
      void ours.add(() => new Promise<void>(come))
    })
  }

  #node(name: string): PQueue {
    let node = this.#nodes.get(name)
    if (!node) {
      node = new PQueue({concurrency: this.#perNode})
      this.#nodes.set(name, node)
    }
    return node
  }
}

// The Proxmox of the simulation: the sandbox's core on virtual time, that can lose its power in the middle of
// everything. It also tells the truth about guests and tasks, which felhom only ever sees through the network.
import {Api} from '../../src/lib/sandbox/api.ts'
import type {ApiRequest} from '../../src/lib/sandbox/api-request.ts'
import type {Clock, VirtualClock} from '../../src/lib/sandbox/clock.ts'
import {Cluster} from '../../src/lib/sandbox/cluster.ts'
import {decodeState, encodeState} from '../../src/lib/sandbox/persist.ts'
import {loadSeed} from '../../src/lib/sandbox/seed.ts'
import type {ClusterState, Guest, Task} from '../../src/lib/sandbox/state.ts'
import type {Answer} from './sim-network.ts'

export const OUR_TOKEN = 'root@pam!felhom'
const OTHER_AUTHORIZATION = 'PVEAPIToken=other@pve!by=22222222-3333-4444-5555-666666666666'
/** What ended before then is in no log of a node any more. */
const LOGS_KEPT_SECONDS = 86_400
/** Waits of a task, not those of the proxy. */
const LONGEST_STEP_MS = 10_000

export class SimProxmox {
  readonly #clock: VirtualClock
  #cluster: Cluster
  #api: Api
  #life = 0
  /** How many times as long as usual the steps of a task take. */
  slowness = 1
  /** Told before a request is carried out, and after it. */
  onMoment: () => void = () => undefined

  constructor(seed: unknown, clock: VirtualClock, chance: number) {
    this.#clock = clock
    this.#cluster = new Cluster(loadSeed(seed), this.#slowClock(), chance)
    this.#api = new Api(this.#cluster)
  }

  get state(): ClusterState {
    return this.#cluster.state
  }

  guest(vmid: number): Guest | undefined {
    return this.#cluster.guest(vmid)
  }

  task(upid: string): Task | undefined {
    return this.#cluster.tasks.find(upid)
  }

  /** Tasks that a node lists, running ones first. */
  listed(node: string): Task[] {
    return [...this.#cluster.tasks.running(node), ...this.#cluster.tasks.ended(node)]
  }

  runningTasks(): Task[] {
    return this.state.nodes.flatMap(({name}) => [...this.#cluster.tasks.running(name)])
  }

  /** Politely as a signal does: the worker clears up, but writes no verdict. */
  killTask(upid: string): void {
    this.onMoment()
    this.#cluster.tasks.kill(upid)
  }

  /** As somebody with the right to do so stops it: the worker clears up, and says that it was interrupted. */
  stopTask(upid: string): void {
    this.onMoment()
    void this.#cluster.tasks.stop(upid)
  }

  /** Undefined: Proxmox lost its power meanwhile. */
  async handle(request: ApiRequest): Promise<Answer | undefined> {
    const life = this.#life
    this.onMoment()
    const answer = await this.#api.handle(request)
    if (life !== this.#life) return undefined
    this.onMoment()
    return answer
  }

  /** As somebody else; returns what stood under `data`, or undefined if it was refused. */
  async ask(method: string, path: string, form: Record<string, string> = {}): Promise<unknown> {
    const isDelete = method === 'DELETE'
    const text = new URLSearchParams(form).toString()
    const body = isDelete || method === 'GET' ? undefined : text
    const answer = await this.handle({
      method,
      url: `/api2/json${path}${isDelete && text !== '' ? `?${text}` : ''}`,
      headers: {
        authorization: OTHER_AUTHORIZATION,
        ...(body !== undefined && {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': String(body.length),
        }),
      },
      ...(body !== undefined && {body}),
    })
    return answer?.status === 200 ? (JSON.parse(answer.text) as {data: unknown}).data : undefined
  }

  /** All nodes lose their power: tasks die without a verdict, what they had made so far stays. */
  losePower(guestsStop: boolean): void {
    this.onMoment()
    this.#life++
    const state = decodeState(encodeState(this.state))
    const oldest = this.#clock.now() / 1000 - LOGS_KEPT_SECONDS
    state.tasks = state.tasks.filter(({endtime = Infinity}) => endtime > oldest)
    for (const guest of state.guests.values()) if (guestsStop) guest.runtime = {status: 'stopped'}
    this.#cluster = new Cluster(state, this.#slowClock(), 1 + this.#life)
    this.#api = new Api(this.#cluster)
  }

  #slowClock(): Clock {
    const clock = this.#clock
    return {
      now: () => clock.now(),
      sleep: (ms, signal) => {
        const isTask = signal !== undefined && ms > 0 && ms <= LONGEST_STEP_MS
        return clock.sleep(isTask ? ms * this.slowness : ms, signal)
      },
    }
  }
}

// A sandbox without HTTP, in virtual time: what takes Proxmox minutes takes a test no time. It knows the sandbox and the
// ports of the other rooms, touches nothing outside this process, and guarantees that time passes only when asked to.
import {Api} from '../sandbox/api.ts'
import {VirtualClock} from '../sandbox/clock.ts'
import {Cluster} from '../sandbox/cluster.ts'
import {loadSeed} from '../sandbox/seed.ts'
import {FULL_TOKEN} from './full-token.ts'
import {homelabSeed} from './homelab-seed.ts'

export interface Answer {
  status: number
  reason: string
  data: unknown
  errors?: Record<string, string>
}

export class InProcessSandbox {
  readonly clock = new VirtualClock()
  readonly cluster: Cluster
  readonly #api: Api

  constructor(seed: unknown = homelabSeed()) {
    this.cluster = new Cluster(loadSeed(structuredClone(seed)), this.clock)
    this.#api = new Api(this.cluster)
  }

  get(path: string, token = FULL_TOKEN): Promise<Answer> {
    return this.#call('GET', path, token)
  }

  put(path: string, form: Record<string, string | number>, token = FULL_TOKEN): Promise<Answer> {
    return this.#call('PUT', path, token, form)
  }

  post(path: string, form: Record<string, string | number>, token = FULL_TOKEN): Promise<Answer> {
    return this.#call('POST', path, token, form)
  }

  delete(path: string, token = FULL_TOKEN): Promise<Answer> {
    return this.#call('DELETE', path, token)
  }

  /** Lets virtual time pass until the task of an answer has ended; returns its exit status, or the refusal. */
  async outcome(answer: Answer | Promise<Answer>): Promise<string> {
    const {status, reason, data} = await answer
    if (status !== 200) return `${String(status)} ${reason}`
    const task = this.cluster.tasks.find(String(data))
    if (!task) throw new Error(`no task: ${String(data)}`)
    while (task.exitstatus === undefined) await this.clock.advance(100)
    return task.exitstatus
  }

  async #call(
    method: string,
    path: string,
    token: string,
    form?: Record<string, string | number>,
  ): Promise<Answer> {
    const pairs = Object.entries(form ?? {}).map(([k, v]): [string, string] => [k, String(v)])
    const body = form && new URLSearchParams(pairs).toString()
    const headers = {
      authorization: `PVEAPIToken=${token}`,
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(body.length),
      }),
    }
    const url = `/api2/json${path}`
    const request = {method, url, headers, ...(body !== undefined && {body})}
    const {status, reason, text} = await this.clock.run(this.#api.handle(request))
    const json = (text === '' ? {} : JSON.parse(text)) as {data?: unknown; errors?: Record<string, string>}
    return {status, reason, data: json.data, ...(json.errors && {errors: json.errors})}
  }
}

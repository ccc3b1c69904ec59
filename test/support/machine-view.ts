// One machine of an in-process sandbox as its owner sees it: changes in, texts and rows out.
import {FULL_TOKEN, InProcessSandbox} from './in-process-sandbox.ts'
import {findVolume} from '../../src/lib/sandbox/storage/volumes.ts'
import type {Guest, Volume} from '../../src/lib/sandbox/state.ts'

export type Form = Record<string, string | number>
export type Row = Record<string, unknown>

export const STOPPED = 201
export const RUNNING = 200

export class MachineView {
  readonly sandbox: InProcessSandbox
  readonly vmid: number
  readonly path: string

  constructor(vmid: number, sandbox = new InProcessSandbox()) {
    this.sandbox = sandbox
    this.vmid = vmid
    this.path = `/nodes/pve/qemu/${String(vmid)}`
  }

  get guest(): Guest {
    return this.sandbox.cluster.requireGuest('qemu', 'pve', this.vmid)
  }

  /** PUT config; status, reason and the texts of the parameters in one line. */
  async put(form: Form, token = FULL_TOKEN): Promise<string> {
    const {status, reason, errors} = await this.sandbox.put(`${this.path}/config`, form, token)
    return [status, reason, ...Object.entries(errors ?? {}).flat()].join(' ').trimEnd()
  }

  /** POST config and wait for the task: its exit status, or the refusal. */
  async post(form: Form): Promise<string> {
    const {status, reason, data} = await this.sandbox.post(`${this.path}/config`, form)
    if (status !== 200) return `${String(status)} ${reason}`
    await this.sandbox.clock.advance(60_000)
    return this.sandbox.cluster.tasks.find(String(data))?.exitstatus ?? 'running'
  }

  async config(query = ''): Promise<Row> {
    const {data} = await this.sandbox.get(`${this.path}/config${query}`)
    return data as Row
  }

  /** The rows of GET pending that differ from what is in force, by their keys. */
  async pending(): Promise<Record<string, Row>> {
    const {data} = await this.sandbox.get(`${this.path}/pending`)
    const waiting = (data as Row[]).filter((row) => 'pending' in row || 'delete' in row)
    return Object.fromEntries(waiting.map(({key, ...row}) => [String(key), row]))
  }

  volume(volid: string): Volume | undefined {
    return findVolume(this.sandbox.cluster, volid, 'pve')
  }

  /** A token of a user who has exactly these privileges, each on a path with everything below it. */
  tokenWith(...grants: [path: string, privs: string[]][]): string {
    const {access} = this.sandbox.cluster.state
    access.users.push({userid: 'probe@pve', enable: 1, expire: 0, realmType: 'pve'})
    access.tokens.push({tokenid: 'probe@pve!t', secret: 'probe', privsep: 0, expire: 0})
    grants.forEach(([path, privs], index) => {
      const roleid = `Probe${String(index)}`
      access.roles.push({roleid, special: 0, privs})
      access.acl.push({path, type: 'user', ugid: 'probe@pve', propagate: 1, roleid})
    })
    return 'probe@pve!t=probe'
  }
}

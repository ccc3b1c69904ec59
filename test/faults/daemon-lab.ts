// A sandbox whose guests somebody else keeps changing, daemons that set them right, and what must be true of both
// records in the end: what Proxmox has seen of felhom, and what felhom has written down.
import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {expect} from 'chai'
import type {Operation} from '../../src/lib/model/operation.ts'
import {readJournal} from '../../src/lib/store/read-journal.ts'
import {systemDisk} from '../../src/lib/store/system-disk.ts'
import {verifyJournal} from '../../src/lib/store/verify-journal.ts'
import {FaultLab} from './fault-lab.ts'
import {startFelhom, type StartedProcess} from './started-process.ts'

const [FIRST_VMID, GUESTS] = [101, 8]
const OUR_TOKEN = 'root@pam!felhom'
const [OTHER_ID, OTHER_SECRET] = ['other@pve!by', '33333333-4444-5555-6666-777777777777']
const OTHER_TOKEN = `${OTHER_ID}=${OTHER_SECRET}`
const WANTED_MEMORY = 512
const CONFIG_WRITES = 'PUT /nodes/{node}/lxc/{vmid}/config'

interface Task {
  readonly upid: string
  readonly type: string
  readonly id: string
  readonly endtime?: number
  readonly status?: string
}

export class DaemonLab {
  readonly lab: FaultLab
  #isDrifting = false
  #drifting: Promise<void> = Promise.resolve()
  /** Config writes of the other client. */
  #theirWrites = 0
  readonly #daemons: StartedProcess[] = []
  readonly #ourTasks = new Map<string, Task>()
  #journalText = ''

  private constructor(lab: FaultLab) {
    this.lab = lab
  }

  static async start(): Promise<DaemonLab> {
    return new DaemonLab(await FaultLab.start(driftSeed()))
  }

  /** Whatever a test that failed has left behind goes too. */
  async stop(): Promise<void> {
    this.#isDrifting = false
    for (const {child} of this.#daemons) child.kill('SIGKILL')
    await this.lab.stop()
  }

  async renew(): Promise<void> {
    await this.lab.lab.renew()
    this.#theirWrites = 0
    this.#ourTasks.clear()
    this.#journalText = ''
    const guests = vmids().map(
      (vmid) => `  ${vmid}: {kind: lxc, run: running, config: {memory: ${WANTED_MEMORY}}}\n`,
    )
    this.lab.lab.write('guests.yaml', `felhom: 1\nguests:\n${guests.join('')}`)
    this.lab.lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\ndaemon: {mode: benign, jitter: 0}\n')
  }

  get dir(): string {
    return this.lab.lab.dir
  }

  get stateDir(): string {
    return join(this.dir, '.felhom')
  }

  startDaemon(...args: string[]): StartedProcess {
    const place = {cwd: this.dir, env: this.lab.env}
    const daemon = startFelhom(['daemon', '--interval', '1s', ...args], place)
    this.#daemons.push(daemon)
    return daemon
  }

  /** Somebody turns memory and stops guests, without a pause worth the name. */
  startDrift(random: () => number): void {
    this.#isDrifting = true
    this.#drifting = this.#drift(random)
  }

  async stopDrift(): Promise<void> {
    this.#isDrifting = false
    await this.#drifting
  }

  async #drift(random: () => number): Promise<void> {
    const {sandbox} = this.lab.lab
    while (this.#isDrifting) {
      const vmid = FIRST_VMID + Math.floor(random() * GUESTS)
      const path = `/nodes/pve1/lxc/${vmid}`
      if (random() < 0.6) {
        this.#theirWrites++
        await this.#asOther('PUT', `${path}/config`, {memory: String(600 + Math.floor(random() * 100))})
      } else await this.#asOther('POST', `${path}/status/stop`)
      await sleep(random() * 60)
    }
    // Whatever they began has ended before anybody counts.
    await this.#untilIdle(sandbox)
  }

  /** Refused because felhom is at it at this very moment: that is no matter. */
  async #asOther(method: 'PUT' | 'POST', path: string, params: Record<string, string> = {}): Promise<void> {
    const {sandbox} = this.lab.lab
    await sandbox.call(method, path, params, OTHER_TOKEN).catch(() => undefined)
  }

  async #untilIdle(sandbox: FaultLab['lab']['sandbox']): Promise<void> {
    while (sandbox.child.exitCode === null) {
      const running = (await sandbox.call('GET', '/nodes/pve1/tasks?source=active')) as Task[]
      if (running.every(({endtime}) => endtime !== undefined)) return
      await sleep(50)
    }
  }

  /** The journal as it lies there, whole lines only. What was there before must still be. */
  expectNothingLost(what: string): string {
    const dir = join(this.stateDir, 'journal')
    const names = readdirSync(dir)
      .filter((name) => name.endsWith('.log'))
      .sort()
    const text = names.map((name) => readFileSync(join(dir, name), 'utf8')).join('')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    expect(whole.startsWith(this.#journalText), `${what}: records are gone`).to.equal(true)
    this.#journalText = whole
    return whole
  }

  countRecords(): number {
    try {
      return this.expectNothingLost('while it runs').split('\n').length
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
      throw error
    }
  }

  /** Proxmox lists only so many. */
  async noteTasks(): Promise<void> {
    const path = '/nodes/pve1/tasks?source=all&limit=1000'
    const tasks = (await this.lab.lab.sandbox.call('GET', path)) as Task[]
    const ours = tasks.filter(({upid}) => upid.endsWith(`:${OUR_TOKEN}:`))
    for (const task of ours) this.#ourTasks.set(task.upid, task)
  }

  async operations(): Promise<Operation[]> {
    const view = await readJournal({disk: systemDisk, dir: this.stateDir})
    const all: Operation[] = []
    for await (const operation of view.operations()) all.push(operation)
    return all
  }

  /** All is as desired, and both records tell the same story; how many operations it has. */
  async expectOneStory(): Promise<number> {
    const {problems, open, torn} = await verifyJournal({disk: systemDisk, dir: this.stateDir})
    expect({problems, open, torn}).to.deep.equal({problems: [], open: 0, torn: undefined})
    const plan = await this.lab.felhom(['plan', '--detailed-exitcode'])
    expect(plan.code, `something is left to do: ${plan.stdout}${plan.stderr}`).to.equal(0)
    const operations = await this.operations()
    await this.#compareTasks(operations)
    await this.#compareWrites(operations)
    const view = await readJournal({disk: systemDisk, dir: this.stateDir})
    expect(view.disarmed()).to.deep.equal([])
    return operations.length
  }

  /** Every task of ours belongs to one operation, every operation has one task at most; who succeeded has had one. */
  async #compareTasks(operations: readonly Operation[]): Promise<void> {
    await this.noteTasks()
    const owners = new Map<string, string>()
    for (const {intent, upid} of operations) {
      if (upid === undefined) continue
      expect(owners.get(upid), `${upid} belongs to two operations`).to.equal(undefined)
      owners.set(upid, intent.op)
      const task = this.#ourTasks.get(upid)
      expect(task, `${upid} of ${intent.op} was never seen in Proxmox`).not.to.equal(undefined)
      expect(task?.id).to.equal(String(intent.target.vmid))
    }
    for (const upid of this.#ourTasks.keys())
      expect(owners.has(upid), `the journal does not know ${upid}`).to.equal(true)
    const starts = operations.filter(
      ({intent, state}) => intent.body.type === 'start' && state === 'succeeded',
    )
    for (const {intent, upid} of starts)
      expect(upid === undefined ? undefined : this.#ourTasks.get(upid)?.status, intent.op).to.match(
        /^OK|^WARN/,
      )
  }

  /** No operation has written twice: as many requests at most as there are operations, and one for each success. */
  async #compareWrites(operations: readonly Operation[]): Promise<void> {
    const requests = await this.lab.lab.sandbox.requests()
    const ours = (requests[CONFIG_WRITES] ?? 0) - this.#theirWrites
    const writes = operations.filter(({intent}) => intent.body.type === 'set-config')
    const done = writes.filter(({state, by}) => state === 'succeeded' && by === 'engine')
    expect(ours, 'config writes against operations').to.be.within(done.length, writes.length)
  }
}

const vmids = (): number[] => Array.from({length: GUESTS}, (_, i) => FIRST_VMID + i)

const driftSeed = (): object => ({
  format: 'felhom-sandbox-seed/1',
  cluster: {name: 'drift', localNode: 'pve1'},
  nodes: [{name: 'pve1', ip: '192.0.2.11', cpus: 8, memory: '64G', bridges: {vmbr0: '192.0.2.11/24'}}],
  storages: [
    {
      storage: 'local-lvm',
      type: 'lvmthin',
      size: '900G',
      config: {vgname: 'pve', thinpool: 'data', content: 'rootdir,images'},
    },
  ],
  guests: vmids().map((vmid) => ({
    kind: 'lxc',
    vmid,
    node: 'pve1',
    running: true,
    config: {
      arch: 'amd64',
      hostname: `ct-${vmid}`,
      memory: WANTED_MEMORY,
      net0: `name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:${vmid.toString(16).toUpperCase()},ip=dhcp,type=veth`,
      ostype: 'debian',
      rootfs: `local-lvm:vm-${vmid}-disk-0,size=4G`,
      unprivileged: 1,
    },
  })),
  users: [{userid: 'ro@pve'}, {userid: 'other@pve'}],
  acl: [
    {path: '/', ugid: 'ro@pve', roleid: 'PVEAuditor'},
    {path: '/', ugid: 'other@pve', roleid: 'Administrator'},
  ],
  tokens: [
    {auth: 'full', tokenid: OUR_TOKEN, secret: '11111111-2222-3333-4444-555555555555', privsep: 0},
    {auth: 'ro', tokenid: 'ro@pve!audit', secret: '22222222-3333-4444-5555-666666666666', privsep: 0},
    {auth: 'other', tokenid: OTHER_ID, secret: OTHER_SECRET, privsep: 0},
  ],
  knobs: {startDelaySeconds: 0.2, stopDelaySeconds: 0},
})

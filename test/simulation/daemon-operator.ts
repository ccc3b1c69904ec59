// The people beside the daemon: they sign jobs and destructions with real keys, lay forged ones beside them, suspend
// guests and resume them, apply by hand, and decide what felhom leaves to them.
import canonicalize from 'canonicalize'
import {bindAction} from '../../src/lib/gate/bind-action.ts'
import {actionDigest} from '../../src/lib/gate/digests.ts'
import {observeGuest} from '../../src/lib/gate/observe-guest.ts'
import type {Suspension} from '../../src/lib/model/daemon.ts'
import {listVolumes} from '../../src/lib/catalog/list-volumes.ts'
import {createReader} from '../../src/lib/pve/read.ts'
import {writeSuspensions} from '../../src/lib/store/suspensions.ts'
import {anna, HOST, MINUTE_MS, showTime, stranger} from '../support/gate-bench.ts'
import {forgeSshsig} from '../support/sshsig-forge.ts'
import {openStore} from './apply-pass.ts'
import type {Hub} from './daemon-hub.ts'
import type {DaemonWatch} from './daemon-watch.ts'
import type {ProcessLife} from './process-life.ts'
import type {Random} from './random.ts'
import {judgeEnd, runProcess} from './run-process.ts'
import type {World} from './world.ts'

const MOST_ENVELOPES = 5
const SNAPSHOT = 'before'
const LOCK_TIMEOUT_MS = 120_000

interface Order {
  readonly vmid: number
  readonly what: 'destroy' | 'snapshot-delete'
  readonly isJob: boolean
  readonly isForged: boolean
}

export interface OperatorPlace {
  readonly world: World
  readonly hub: Hub
  readonly watch: DaemonWatch
  /** The real directory for what is not on the simulated disk. */
  readonly stateDir: string
}

export class DaemonOperator {
  readonly #place: OperatorPlace
  readonly #random: Random
  #nonces = 0

  constructor(place: OperatorPlace) {
    this.#place = place
    this.#random = place.world.random.stream('operator beside the daemon')
  }

  /** Signs something that makes sense now, or forges it; the source carries it from then on. */
  async sign(isForged = this.#random.chance(0.25)): Promise<void> {
    const {world} = this.#place
    const vmid = this.#random.pick(world.scenario.managed).vmid
    const isAbsent = this.#place.hub.wish.guests.some((guest) => guest.slot.vmid === vmid && guest.isAbsent)
    const what = isAbsent || this.#random.chance(0.3) ? 'destroy' : 'snapshot-delete'
    const order = {vmid, what, isJob: !isAbsent || isForged, isForged} as const
    const desk = world.newProcess()
    const draft = this.#draft(order, desk).catch(() => undefined)
    const bytes = await Promise.race([draft, desk.died])
    world.processEnds(desk)
    if (bytes instanceof Buffer) this.#carry(bytes, order)
  }

  async #draft({vmid, what, isJob, isForged}: Order, desk: ProcessLife): Promise<Buffer | undefined> {
    const {world, watch} = this.#place
    if (what === 'snapshot-delete') this.#makeSnapshot(vmid)
    const reader = createReader(world.network.reads(desk))
    const {guests} = await reader.readCluster()
    const guest = guests.find((one) => one.vmid === vmid)
    if (!guest?.config.known) return undefined
    const action =
      what === 'destroy'
        ? ({type: what, volumes: listVolumes(guest.kind, guest.config.current)} as const)
        : ({type: what, snapshot: SNAPSHOT} as const)
    const bound = bindAction(action, guest, guest)
    if ('unsupported' in bound) return undefined
    const nowMs = world.wallClockMs()
    const expMs = nowMs + this.#random.pick([20 * MINUTE_MS, 4 * 60 * MINUTE_MS])
    const nonce = this.#nonce()
    const fields = {
      ...bound,
      type: 'felhom.op.v1',
      host: HOST,
      action: actionDigest(bound),
      observed: observeGuest(guest, await reader.readSnapshots(guest)),
      ...{nonce, iat: showTime(nowMs - MINUTE_MS), exp: showTime(expMs)},
      trust: 1,
      reason: 'it is not needed any more',
    }
    world.oracle.count(isForged ? 'forged' : `signed ${what}`)
    if (!isForged) watch.signs({nonce, vmid, isDestruction: what === 'destroy', isJob, expMs})
    return seal(Buffer.from(canonicalize(fields) ?? ''), isForged)
  }

  #carry(bytes: Buffer, {isJob, what, vmid}: Order): void {
    const {hub, world} = this.#place
    const envelope = {name: `${what}-${String(this.#nonces)}.json`, bytes}
    const list = isJob ? hub.jobs : hub.approvals
    const next = [...list.slice(-MOST_ENVELOPES + 1), envelope]
    if (isJob) hub.jobs = next
    else hub.approvals = next
    world.trace(() => `  operator: ${isJob ? 'a job' : 'an approval'} for ${what} ${String(vmid)}`)
    hub.publish(hub.wish)
  }

  #nonce(): string {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32BE(++this.#nonces, 12)
    return bytes.toString('base64url')
  }

  #makeSnapshot(vmid: number): void {
    const guest = this.#place.world.proxmox.guest(vmid)
    if (guest && !(SNAPSHOT in guest.snapshots))
      guest.snapshots[SNAPSHOT] = {config: {...guest.config}, snaptime: 1_700_000_000}
  }

  suspend(): void {
    const {world} = this.#place
    const whom = this.#random.chance(0.2) ? ('all' as const) : this.#random.pick(world.scenario.managed).vmid
    this.leaveAlone(whom, this.#random.chance(0.7) ? this.#random.between(5, 60) : undefined)
  }

  /** Whatever is under way: whoever suspends waits for nobody. */
  leaveAlone(whom: number | 'all', minutes?: number): void {
    const {world, watch} = this.#place
    const nowMs = world.wallClockMs()
    const one: Suspension = {
      ...{vmid: whom, sinceMs: nowMs, by: 'anna@desk'},
      ...(minutes !== undefined && {untilMs: nowMs + minutes * MINUTE_MS}),
    }
    world.oracle.count('suspended')
    this.#writeSuspensions([...watch.suspensions.filter(({vmid}) => vmid !== whom), one])
  }

  async resume(): Promise<void> {
    await this.#underLock(() => {
      this.#writeSuspensions([])
      return Promise.resolve()
    })
  }

  #writeSuspensions(list: readonly Suspension[]): void {
    const {watch, stateDir} = this.#place
    writeSuspensions(stateDir, list)
    watch.suspensions = list
  }

  /** `felhom apply` with the files of the day. */
  async apply(): Promise<void> {
    this.#place.world.oracle.count('applied beside')
    await runProcess(this.#place.world, 1)
  }

  /** `felhom journal rearm` and `resolve`: decides what only somebody who looks at Proxmox can decide. */
  async clearAway(): Promise<void> {
    const {world} = this.#place
    await this.#underLock(async (life) => {
      const store = await openStore(world, life)
      if (store.disarmed().length > 0) await store.rearm(store.disarmed())
      for (const {intent, state} of store.openOperations()) {
        if (state !== 'quarantined') continue
        await store.settle(intent.op, {state: 'failed', by: 'operator', reason: 'looked at'})
        world.oracle.settled(intent.op, 'failed')
        world.oracle.count('resolved')
      }
      await store.close()
    })
    world.noteDisarmed([])
    for (const {vmid} of world.scenario.managed) delete world.proxmox.guest(vmid)?.config['lock']
  }

  async #underLock(work: (life: ProcessLife) => Promise<void>): Promise<void> {
    const {world} = this.#place
    const life = world.newProcess()
    const act = async (): Promise<void> => {
      if (!(await life.step('lock', () => world.lock.acquire(life, LOCK_TIMEOUT_MS)))) return
      try {
        await work(life)
      } catch (error) {
        judgeEnd(world, error)
      }
    }
    await Promise.race([act(), life.died])
    world.processEnds(life)
  }
}

function seal(payload: Buffer, isForged: boolean): Buffer {
  const signatures = [forgeSshsig(isForged ? stranger : anna, payload)]
  return Buffer.from(JSON.stringify({v: 1, payload: payload.toString('base64'), signatures}))
}

// A guest whose destruction is signed for once, and processes that come and go: the real engine, gate, recover and
// logs, on a disk and a network that end a process where a test says so. What was sent to Proxmox is counted over all
// of them.
import canonicalize from 'canonicalize'
import type {GuestWriter} from '../../src/lib/engine/ports.ts'
import {recover} from '../../src/lib/engine/recover.ts'
import {bindAction} from '../../src/lib/gate/bind-action.ts'
import {actionDigest} from '../../src/lib/gate/digests.ts'
import {createGate} from '../../src/lib/gate/gate.ts'
import {observeGuest} from '../../src/lib/gate/observe-guest.ts'
import type {NonceState} from '../../src/lib/gate/ports.ts'
import {hashTrust} from '../../src/lib/gate/trust-document.ts'
import type {ActionOutcome} from '../../src/lib/model/run-event.ts'
import {createWriter} from '../../src/lib/pve/write.ts'
import {openAudit} from '../../src/lib/store/audit/open-audit.ts'
import {openJournal} from '../../src/lib/store/open-journal.ts'
import {openNonces} from '../../src/lib/store/nonces/open-nonces.ts'
import {desiredGuest} from './desired-guest.ts'
import {EngineBench, TOKEN_ID} from './engine-bench.ts'
import {anna, DAY_MS, HOST, HOUR_MS, showTime, trustFile} from './gate-bench.ts'
import {homelabSeed} from './homelab-seed.ts'
import {MemoryDisk} from '../../src/lib/testing/memory-disk.ts'
import {forgeSshsig} from './sshsig-forge.ts'

const VMID = 150
const NONCE = Buffer.alloc(16, 7).toString('base64url')
const DESIRED = desiredGuest(VMID, {}, {ensure: 'absent'})

/** What was on disk for certain when a request left. */
export interface Sent {
  readonly nonce: NonceState
  readonly audited: number
  readonly hasStarted: boolean
}

export class SignedDestroy {
  readonly bench = new EngineBench({seed: homelabSeed})
  readonly disk = new MemoryDisk()
  readonly sent: Sent[] = []
  /** Called when the request is about to leave, and when its answer is in. */
  onNetwork: (when: 'before' | 'after') => void = () => undefined
  #envelope: Buffer = Buffer.alloc(0)
  #runs = 0
  readonly #trust: ReturnType<typeof trustFile>

  private constructor() {
    this.#trust = trustFile({
      expiresMs: Math.ceil(this.bench.sandbox.clock.now() / 1000) * 1000 + 300 * DAY_MS,
    })
  }

  static async make(): Promise<SignedDestroy> {
    const made = new SignedDestroy()
    await made.#sign()
    return made
  }

  async #sign(): Promise<void> {
    const {guests} = await this.bench.read()
    const guest = guests.find(({vmid}) => vmid === VMID)
    if (!guest) throw new Error('there is no guest to destroy')
    const {clock} = this.bench.sandbox
    const snapshots = await clock.run(this.bench.reader.readSnapshots(guest))
    const bound = bindAction({type: 'destroy', volumes: []}, guest, guest)
    if ('unsupported' in bound) throw new Error(bound.unsupported)
    const payload = Buffer.from(
      canonicalize({
        ...bound,
        type: 'felhom.op.v1',
        host: HOST,
        action: actionDigest(bound),
        observed: observeGuest(guest, snapshots),
        nonce: NONCE,
        iat: showTime(clock.now() - 1000),
        exp: showTime(clock.now() + 20 * HOUR_MS),
        trust: 1,
        reason: 'a test wants it',
      }) ?? '',
    )
    const signatures = [forgeSshsig(anna, payload)]
    this.#envelope = Buffer.from(JSON.stringify({v: 1, payload: payload.toString('base64'), signatures}))
  }

  /** One process from its start to its end, or to where it dies; what came of the destruction. */
  async live(): Promise<ActionOutcome | 'died'> {
    try {
      return await this.#live()
    } catch {
      return 'died'
    }
  }

  async #live(): Promise<ActionOutcome | 'died'> {
    const {clock} = this.bench.sandbox
    const {journal, nonces, audit} = await this.#open(this.disk)
    await clock.run(
      recover({
        reader: this.bench.reader,
        journal,
        clock,
        tokenId: TOKEN_ID,
        settleMs: 1000,
        waitMs: 60_000,
        signal: new AbortController().signal,
      }),
    )
    const {bytes} = this.#trust
    const gate = createGate({
      audit,
      disarmed: () => journal.disarmed(),
      signing: {
        host: HOST,
        clock,
        trust: {read: () => Promise.resolve([this.#trust])},
        genesis: hashTrust(bytes),
        nonces,
        approvals: {list: () => Promise.resolve([{name: 'approval.json', bytes: this.#envelope}])},
        snapshots: this.bench.reader,
      },
    })
    const run = `r${++this.#runs}`
    const {results} = await this.bench.apply([DESIRED], {run, journal, gate, writer: this.#writer()})
    await Promise.all([journal.close(), nonces.close(), audit.close()])
    return results.find(({action}) => action.type === 'destroy')?.outcome ?? 'satisfied'
  }

  async #open(disk: MemoryDisk) {
    const {clock} = this.bench.sandbox
    const place = {disk: disk.mount(), dir: '/state', clock, warn: () => undefined}
    const identity = {endpoint: 'https://pve1:8006', tokenId: TOKEN_ID}
    return {
      journal: await openJournal({...place, identity}),
      nonces: await openNonces(place),
      audit: await openAudit(place),
    }
  }

  /** Notes what would be there if the power failed at the moment at which a destruction is sent. */
  #writer(): GuestWriter {
    const inner = createWriter(this.bench.connection)
    return {
      dispatch: async (intent, secrets) => {
        if (intent.body.type !== 'destroy') return inner.dispatch(intent, secrets)
        this.onNetwork('before')
        this.sent.push(await this.#lookAtDisk(intent.op))
        const answer = await inner.dispatch(intent, secrets)
        this.onNetwork('after')
        return answer
      },
    }
  }

  async #lookAtDisk(op: string): Promise<Sent> {
    const copy = this.disk.copy()
    copy.losePower(() => 0)
    const {journal, nonces, audit} = await this.#open(copy)
    return {
      nonce: nonces.state(NONCE),
      audited: audit.head().seq,
      hasStarted: journal.find(op)?.intent.key === NONCE,
    }
  }

  /** As it would be found by the next process. */
  async nonce(): Promise<NonceState> {
    const {nonces} = await this.#open(this.disk.copy())
    return nonces.state(NONCE)
  }

  async isThere(): Promise<boolean> {
    const {guests} = await this.bench.read()
    return guests.some(({vmid}) => vmid === VMID)
  }

  /** Requests that would destroy the guest. */
  requests(): number {
    return this.sent.length
  }
}

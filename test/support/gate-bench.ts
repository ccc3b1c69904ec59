// The real gate with real signatures, on real stores in memory: one guest, people who may sign, and a desk on which
// approvals are laid. What a test changes is one thing about one of them.
import canonicalize from 'canonicalize'
import {bindAction} from '../../src/lib/gate/bind-action.ts'
import {actionDigest} from '../../src/lib/gate/digests.ts'
import {
  createGate,
  type FullGate,
  type GateOptions,
  type GateRequest,
  type SignedJob,
  type Signing,
  type Verdict,
} from '../../src/lib/gate/gate.ts'
import {observeGuest} from '../../src/lib/gate/observe-guest.ts'
import type {ApprovalFile, AuditSink, NonceStore, TrustFile} from '../../src/lib/gate/ports.ts'
import {encodeTrust, hashTrust, type SignerEntry, type TrustDraft} from '../../src/lib/gate/trust-document.ts'
import {encodeTrustSignatures} from '../../src/lib/gate/trust-signatures.ts'
import {TRUST_NAMESPACE} from '../../src/lib/gate/namespaces.ts'
import type {ActualGuest} from '../../src/lib/model/actual.ts'
import type {BoundAction, Decision, Role} from '../../src/lib/model/approval.ts'
import type {ActionBody, PlannedAction} from '../../src/lib/model/plan.ts'
import type {Snapshot} from '../../src/lib/model/snapshot.ts'
import {openAudit, type OpenAudit} from '../../src/lib/store/audit/open-audit.ts'
import {openNonces, type OpenNonces} from '../../src/lib/store/nonces/open-nonces.ts'
import {actualGuest} from './actual-cluster.ts'
import {forgeKey, type ForgedKey} from './forge-keys.ts'
import {MemoryDisk} from '../../src/lib/testing/memory-disk.ts'
import {plannedAction} from './planned-action.ts'
import {forgeSshsig, type SigningChoice} from './sshsig-forge.ts'

export const NOW_MS = Date.UTC(2026, 10, 18, 12, 0, 0)
export const HOST = 'install-4f1d2c'
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Two operators, one more key of the first, and the key in the safe. */
export const anna = forgeKey('ed25519', 'anna')
export const annaToo = forgeKey('ecdsa-256', 'anna')
export const bert = forgeKey('ed25519', 'bert')
export const rita = forgeKey('ed25519', 'rita')
export const stranger = forgeKey('ed25519', 'stranger')

export const signer = (
  principal: string,
  key: Pick<ForgedKey, 'line'>,
  role: Role = 'operational',
  change: Partial<SignerEntry> = {},
): SignerEntry => ({
  principal,
  role,
  keyText: key.line,
  notBeforeMs: undefined,
  notAfterMs: undefined,
  requireUv: false,
  application: undefined,
  ...change,
})

const SIGNERS = [
  signer('anna', anna),
  signer('anna', annaToo),
  signer('bert', bert),
  signer('rita', rita, 'recovery'),
]
const KEYS: readonly ForgedKey[] = [anna, annaToo, bert, rita]

/** One version of the trust store, signed by `keys`. */
export function trustFile(
  change: Partial<TrustDraft> = {},
  keys: readonly ForgedKey[] = KEYS,
  choice: SigningChoice = {},
): TrustFile {
  const draft: TrustDraft = {
    version: 1,
    prev: undefined,
    expiresMs: NOW_MS + 365 * DAY_MS,
    thresholds: {default: 1, recovery: 1},
    revoked: [],
    signers: SIGNERS,
    ...change,
  }
  const bytes = encodeTrust(draft)
  const signatures = keys.map((key) => forgeSshsig(key, bytes, {namespace: TRUST_NAMESPACE, ...choice}))
  return {version: draft.version, bytes, signatures: encodeTrustSignatures(signatures)}
}

export const toyGuest = (change: Partial<ActualGuest> = {}): ActualGuest =>
  actualGuest(104, {
    run: 'stopped',
    config: {
      known: true,
      current: {
        hostname: 'files',
        protection: '1',
        rootfs: 'local-lvm:vm-104-disk-0,size=8G',
        mp0: 'local-lvm:vm-104-disk-1,mp=/data,size=100G',
        unused0: 'local-lvm:vm-104-disk-2',
        net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:04',
      },
      pending: [],
      digest: 'd1',
    },
    ...change,
  })

export type Fields = Readonly<Record<string, unknown>>

export interface BenchOptions {
  readonly trust?: readonly TrustFile[]
  readonly genesis?: string
  readonly machine?: MemoryDisk
  readonly gate?: Partial<GateOptions>
}

/** An approval in the making: its payload, and who signs it how. */
export interface Draft {
  readonly payload?: Uint8Array | string
  readonly keys?: readonly ForgedKey[]
  readonly choice?: SigningChoice
  /** In place of signatures by `keys`. */
  readonly signatures?: readonly string[]
}

export class GateBench {
  readonly machine: MemoryDisk
  nowMs = NOW_MS
  guest: ActualGuest | undefined = toyGuest()
  snapshots: readonly Snapshot[] = [{name: 'before', snaptime: 1_700_000_000, vmstate: false}]
  trust: readonly TrustFile[]
  genesis: string
  readonly files: ApprovalFile[] = []
  readonly decisions: Decision[] = []
  nonces!: OpenNonces
  audit!: OpenAudit
  gate!: FullGate
  readonly #gateOptions: Partial<GateOptions>
  #nonceCount = 0

  private constructor({trust = [trustFile()], genesis, machine = new MemoryDisk(), gate = {}}: BenchOptions) {
    this.machine = machine
    this.trust = trust
    this.genesis = genesis ?? hashTrust(trust[0]?.bytes ?? Buffer.alloc(0))
    this.#gateOptions = gate
  }

  static async open(options: BenchOptions = {}): Promise<GateBench> {
    const bench = new GateBench(options)
    await bench.restart()
    return bench
  }

  /** As a new process on the same disk. */
  async restart(): Promise<void> {
    const clock = {now: () => this.nowMs}
    const place = {disk: this.machine.mount(), dir: '/state', clock, warn: () => undefined}
    this.nonces = await openNonces(place)
    this.audit = await openAudit(place)
    this.gate = this.createGate()
  }

  createGate(change: Partial<GateOptions> = {}, nonces: NonceStore = this.nonces): FullGate {
    const audit: AuditSink = {
      append: async (decision) => {
        await this.audit.append(decision)
        this.decisions.push(decision)
      },
    }
    return createGate({
      audit,
      signing: this.signing(nonces),
      ...this.#gateOptions,
      ...change,
    })
  }

  signing(nonces: NonceStore = this.nonces): Signing {
    return {
      host: HOST,
      clock: {now: () => this.nowMs},
      trust: {read: () => Promise.resolve(this.trust)},
      genesis: this.genesis,
      nonces,
      approvals: {list: () => Promise.resolve(this.files)},
      snapshots: {readSnapshots: () => Promise.resolve(this.snapshots)},
    }
  }

  request(
    body: ActionBody = {type: 'destroy', volumes: []},
    change: Partial<PlannedAction> = {},
  ): GateRequest {
    const action = plannedAction(body, {class: 'destructive', ...change})
    return {action, target: {kind: 'lxc', vmid: this.guest?.vmid ?? 104, node: 'pve1'}, guest: this.guest}
  }

  bound(body?: ActionBody): BoundAction {
    const {action, target, guest} = this.request(body)
    const bound = bindAction(action, target, guest)
    if ('unsupported' in bound) throw new Error(bound.unsupported)
    return bound
  }

  newNonce(): string {
    const bytes = Buffer.alloc(16)
    bytes.writeUInt32BE(++this.#nonceCount, 12)
    return bytes.toString('base64url')
  }

  /** The statement that is right in everything, as plain fields; `change` makes it wrong. */
  fields(change: Fields = {}, bound: BoundAction = this.bound(), observed = this.observed()): Fields {
    return {
      type: 'felhom.op.v1',
      host: HOST,
      op: bound.op,
      target: bound.target,
      params: bound.params,
      action: actionDigest(bound),
      observed,
      nonce: this.newNonce(),
      iat: showTime(this.nowMs - MINUTE_MS),
      exp: showTime(this.nowMs + HOUR_MS),
      trust: this.trust.length,
      reason: 'the customer has left',
      ...change,
    }
  }

  observed(): string {
    if (!this.guest) throw new Error('there is no guest')
    return observeGuest(this.guest, this.snapshots)
  }

  /** Canonical bytes of the right statement, but for `change`. */
  payload(change: Fields = {}, bound?: BoundAction): Buffer {
    return Buffer.from(canonicalize(this.fields(change, bound)) ?? '')
  }

  /** An envelope as bytes. */
  seal({payload = this.payload(), keys = [anna], choice = {}, signatures}: Draft = {}): Buffer {
    const bytes = Buffer.from(payload)
    const armoured = signatures ?? keys.map((key) => forgeSshsig(key, bytes, choice))
    return Buffer.from(JSON.stringify({v: 1, payload: bytes.toString('base64'), signatures: armoured}))
  }

  lay(bytes: Uint8Array, change: Partial<ApprovalFile> = {handedOver: true}): void {
    this.files.push({name: `approval-${this.files.length}.json`, bytes, ...change})
  }

  /** Lays this approval alone on the desk and asks: `allow`, or the code of the refusal. */
  async decide(draft: Draft | Uint8Array = {}, request: GateRequest = this.request()): Promise<string> {
    this.files.length = 0
    this.lay(draft instanceof Uint8Array ? draft : this.seal(draft))
    return this.ask(request)
  }

  async ask(request: GateRequest = this.request()): Promise<string> {
    return word(await this.gate.authorize(request))
  }

  async askJob(bound: BoundAction, observed = this.observed()): Promise<string> {
    const job: SignedJob = {bound, observe: () => Promise.resolve(observed)}
    const verdict = await this.gate.authorizeJob(job)
    return verdict.allowed ? 'allow' : verdict.refusal.code
  }
}

export const word = (verdict: Verdict): string => (verdict.allowed ? 'allow' : verdict.refusal.code)

export const showTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

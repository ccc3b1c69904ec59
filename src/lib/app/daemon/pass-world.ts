// What one pass is given. The real world is made in compose-daemon.ts; a simulated day brings its own disk, network
// and clock, and everything between them is the same.
import type {Clock} from '../../engine/ports.ts'
import type {FullGate, Withhold} from '../../gate/gate.ts'
import type {TrustSnapshot} from '../../gate/trust-snapshot.ts'
import type {DaemonEvent, Setback, Suspension} from '../../model/daemon.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {Settings} from '../../settings/settings.ts'
import type {CarriedEnvelope} from '../../source/source.ts'
import type {WritingAccess} from '../compose.ts'
import type {OpenState} from '../state/open-state.ts'
import type {Inspector} from '../gate/signature-state.ts'
import {BackOffs} from './back-offs.ts'
import {SettledGuests} from '../../plan/settled-guests.ts'
import {JobBackOffs} from './jobs/job-back-offs.ts'
import type {MemoryKeeper} from './keep-memory.ts'
import {Permissions} from './permission.ts'
import type {SourceKeeper} from './ports.ts'

/** An event without its time. */
export type Told = DaemonEvent extends infer E ? (E extends DaemonEvent ? Omit<E, 'atMs'> : never) : never

export interface GateCircumstances {
  readonly state: OpenState
  readonly access: WritingAccess
  readonly carried: readonly CarriedEnvelope[]
  readonly withhold: Withhold
}

export interface PassWorld {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly extensions?: Extensions
  readonly clock: Clock
  readonly keeper: SourceKeeper
  /** Anew for each pass: a token may have been replaced. */
  openAccess(): Promise<WritingAccess>
  /** Takes the lock of the state directory and opens its logs. */
  openState(access: WritingAccess): Promise<OpenState>
  openGate(circumstances: GateCircumstances): Promise<FullGate>
  /** For what a plan says about signatures. */
  openInspector(gate: FullGate): Inspector
  readSuspensions(): readonly Suspension[]
  /** Undefined: none that can be believed. */
  readTrust(): Promise<TrustSnapshot | undefined>
  /** For the next process; absent: it begins without. */
  readonly memory?: MemoryKeeper
  /** Aborted: nothing new is started; what runs is awaited. */
  readonly stop: AbortSignal
  tell(event: Told): void
  readonly randomHex?: (digits: number) => string
}

/** What one pass leaves to the next; it is worth no more than a better guess. */
export class PassMemory {
  readonly backOffs = new BackOffs()
  readonly jobBackOffs = new JobBackOffs()
  readonly settled = new SettledGuests()
  /** Answers of the gate that were heard before, as digests: asking again would only fill the audit. */
  refusals: ReadonlySet<string> = new Set()
  /**
   * Of signed jobs, by nonce: what was told last, which another process tells again to whoever asks then, and what was
   * said of their signatures; as digests.
   */
  readonly toldJobs = new Map<string, string>()
  readonly jobRefusals = new Map<string, string>()
  /** Found out by recovery, and not weighed against a plan yet; the latest of each guest. */
  readonly setbacks = new Map<number, Setback>()
  keptSinceMs: number | undefined
  #isRecalled = false
  #isAllTried = false
  #permissions: {readonly of: Settings['daemon']; readonly permissions: Permissions} | undefined

  /** What an earlier process has left, once. */
  recall(keeper: MemoryKeeper): void {
    if (this.#isRecalled) return
    this.#isRecalled = true
    const kept = keeper.load()
    if (!kept) return
    if (!this.#isAllTried) {
      this.backOffs.restore(kept.backOffs)
      this.jobBackOffs.restore(kept.jobBackOffs)
    }
    this.refusals = new Set(kept.refusals)
    for (const [nonce, refusal] of kept.jobRefusals) this.jobRefusals.set(nonce, refusal)
  }

  keep(keeper: MemoryKeeper): void {
    keeper.save({
      backOffs: this.backOffs.all(),
      jobBackOffs: this.jobBackOffs.all(),
      refusals: [...this.refusals].sort(),
      jobRefusals: [...this.jobRefusals],
    })
  }

  /** The operator wants everything tried now, whatever an earlier process has left. */
  forgetBackOffs(): void {
    this.#isAllTried = true
    this.backOffs.forgetAll()
    this.jobBackOffs.forgetAll()
  }

  /** Throws settings_invalid for windows that mean nothing. */
  permissionsOf(daemon: Settings['daemon']): Permissions {
    if (this.#permissions?.of !== daemon)
      this.#permissions = {of: daemon, permissions: new Permissions(daemon)}
    return this.#permissions.permissions
  }
}

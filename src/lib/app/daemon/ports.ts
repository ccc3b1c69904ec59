// What the daemon's loop asks of the world, said by the loop. The real ones are made in compose-daemon.ts; a simulated
// day has others.
import type {DaemonEvent, PassReport, SourceStanding} from '../../model/daemon.ts'
import type {DesiredState} from '../../model/desired.ts'
import type {CarriedEnvelope} from '../../source/source.ts'

export type DaemonSink = (event: DaemonEvent) => void

/** What is to be used in a pass: of the source, or the last that was good. */
export interface Delivery {
  /** Absent: there is none, and there never was a good one. */
  readonly desired?: DesiredState
  readonly approvals: readonly CarriedEnvelope[]
  readonly jobs: readonly CarriedEnvelope[]
  readonly standing: SourceStanding
}

export interface SourceKeeper {
  /** Asks the source; before the lock is taken, since it may take long. Throws only when aborted. */
  ask(signal: AbortSignal): Promise<void>
  /** Judges the answer and keeps what is good; the caller holds the lock of the state directory. */
  settle(): Promise<Delivery>
}

/** One pass; it throws nothing that a later pass could mend. */
export type MakePass = (pass: number) => Promise<PassReport>

/** Whoever started the daemon and wants to know how it is: systemd, or nobody. None of these throws or waits. */
export interface Notifier {
  ready(): void
  /** One line for people. */
  status(text: string): void
  /** The loop has moved; called often, and passed on only as often as the watchdog wants. */
  progress(): void
  reloading(): void
  stopping(): void
}

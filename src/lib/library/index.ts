// The entry `felhom`: planner, gate, engine and client for programs. It knows which names of the house are promised to
// others, touches nothing when it is imported, and guarantees that what is not listed here may change at any time.

// Desired state: text in, DesiredState or every mistake with its place out.
export {DesiredReader} from '../desired/read-desired.ts'
export {FilesProvider} from '../desired/files-provider.ts'
export {requireValid} from '../app/source/use-desired.ts'
export type {DesiredText} from '../desired/desired-text.ts'
export type {FilesOptions} from '../desired/files-provider.ts'
export type {
  DesiredCreate,
  DesiredGuest,
  DesiredOption,
  DesiredReading,
  DesiredState,
  DesiredValue,
  SourcePlace,
} from '../model/desired.ts'
export type {Diagnostic} from '../model/diagnostic.ts'

// The client of Proxmox: a reader cannot write, and a writer takes only what a journal holds.
export {ApiToken} from '../pve/api-token.ts'
export {Connection} from '../pve/connection.ts'
export {createReader} from '../pve/read.ts'
export {createWriter} from '../pve/write.ts'
export type {ConnectionOptions, Limits, ReadConnection, WriteConnection} from '../pve/connection.ts'
export type {Reader} from '../pve/read.ts'
export type {TlsTrust} from '../pve/tls-trust.ts'
export type {Writer} from '../pve/write.ts'
export type {ActualCluster, ActualGuest, Completeness, GuestConfig, RunState} from '../model/actual.ts'
export type {GuestAddress, GuestId, GuestKind} from '../model/guest.ts'

// The planner: pure functions of desired and live state.
export {planChanges, planGuest} from '../plan/plan-changes.ts'
export {workFromFiles} from '../app/apply/apply-work.ts'
export type {ApplyWork, PlannedWork} from '../app/apply/apply-work.ts'
export type {PlanContext} from '../plan/plan-changes.ts'
export type {
  ActionBody,
  Blocker,
  GateClass,
  GuestPlan,
  Impact,
  OptionChange,
  Plan,
  PlannedAction,
  PlanProblem,
} from '../model/plan.ts'

// The gate: without `signing` it lets pass only what loses nothing.
export {createGate} from '../gate/gate.ts'
export {ApprovalFiles} from '../app/gate/approval-files.ts'
export {TrustFiles} from '../store/trust-files.ts'
export type {ClassRule} from '../gate/classify.ts'
export type {FullGate, Gate, GateOptions, GateRequest, Refusal, Signing, Verdict} from '../gate/gate.ts'
export type {ApprovalSource, AuditSink, NonceStore} from '../gate/ports.ts'

// The engine: carries out a plan, and settles what a crash has left open.
export {recover} from '../engine/recover.ts'
export {runPlan} from '../engine/run-plan.ts'
export {drawHex, makeRunId} from '../app/apply/apply-run.ts'
export {systemClock} from '../app/system-clock.ts'
export type {Clock, GuestReader, GuestWriter, Journal, NodeReader, TaskReader} from '../engine/ports.ts'
export type {RecoverOptions, RecoverResult} from '../engine/recover.ts'
export type {OutcomeCounts, RunOptions, RunResult} from '../engine/run-plan.ts'
export type {Intent, JournaledIntent, Operation} from '../model/operation.ts'
export type {ActionOutcome, ActionResult, RunEvent} from '../model/run-event.ts'

// The state directory: checked, locked, and with journal, nonces and audit open.
export {openState, withState} from '../app/state/open-state.ts'
export type {OpenState, StateRequest} from '../app/state/open-state.ts'
export type {JournalIdentity, JournalStore} from '../store/open-journal.ts'

// Reports: a plan for people, and as it is saved.
export {decodePlan} from '../report/decode-plan.ts'
export {encodePlan} from '../report/plan-json.ts'
export {makePalette} from '../report/palette.ts'
export {renderPlan} from '../report/plan-text.ts'
export {renderPlanMarkdown} from '../report/plan-markdown.ts'
export {showOptionValue} from '../app/plan/plan-cluster.ts'
export type {PlanJson} from '../report/plan-json.ts'
export type {PlanTextOptions} from '../report/plan-text.ts'

// Errors: match on `code`.
export {DiagnosticsError} from '../model/diagnostics-error.ts'
export {DispatchError} from '../model/dispatch-error.ts'
export {FelhomError, isFelhomError} from '../model/felhom-error.ts'
export type {ErrorCode} from '../model/error-codes.ts'

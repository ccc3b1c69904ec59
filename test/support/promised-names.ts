// The names that each entry of the package promises to others, sorted: values, and types.

const FELHOM = `ApiToken ApprovalFiles Connection DesiredReader DiagnosticsError DispatchError FelhomError
  FilesProvider TrustFiles createGate createReader createWriter decodePlan drawHex encodePlan isFelhomError makePalette
  makeRunId openState planChanges planGuest recover renderPlan renderPlanMarkdown requireValid runPlan showOptionValue
  systemClock withState workFromFiles`

const FELHOM_TYPES = `ActionBody ActionOutcome ActionResult ActualCluster ActualGuest ApplyWork ApprovalSource AuditSink
  Blocker ClassRule Clock Completeness ConnectionOptions DesiredCreate DesiredGuest DesiredOption DesiredReading
  DesiredState DesiredText DesiredValue Diagnostic ErrorCode FilesOptions FullGate Gate GateClass GateOptions
  GateRequest GuestAddress GuestConfig GuestId GuestKind GuestPlan GuestReader GuestWriter Impact Intent Journal
  JournalIdentity JournalStore JournaledIntent Limits NodeReader NonceStore OpenState Operation OptionChange
  OutcomeCounts Plan PlanContext PlanJson PlanProblem PlanTextOptions PlannedAction PlannedWork ReadConnection Reader
  RecoverOptions RecoverResult Refusal RunEvent RunOptions RunResult RunState Signing SourcePlace StateRequest
  TaskReader TlsTrust Verdict WriteConnection Writer`

const PLUGIN_TYPES = `ActionType Alert AlertNotifier FelhomHooks FelhomPlugin GateClass GuestId Impact Observer PlanFormat
  PluginContext ProvidedFile Provider RegisterOptions Rule RuleRequest RunEvent`

const TESTING = `DiskIsGone FULL_TOKEN InProcessConnection InProcessSandbox MemoryDisk MemoryJournal VirtualClock
  homelabSeed openJournal startSandbox`

const TESTING_TYPES = `Answer Disk DiskCall DiskFault DiskFile InProcessConnectionOptions InProcessFault
  InProcessRequest JournalCall MemoryDiskOptions Sandbox SandboxOptions`

const words = (text: string): string[] => text.split(/\s+/)

/** `file` is the source of the entry in src/lib/library. */
export const ENTRIES = [
  {entry: 'felhom', file: 'index', values: words(FELHOM), types: words(FELHOM_TYPES)},
  {entry: 'felhom/plugin', file: 'plugin', values: ['PLUGIN_API_VERSION'], types: words(PLUGIN_TYPES)},
  {entry: 'felhom/testing', file: 'testing', values: words(TESTING), types: words(TESTING_TYPES)},
]

// The table of metrics: name, kind, labels and meaning of each. The registry and the documentation come from here.
import type {Counter, Gauge, Histogram, Registry} from 'prom-client'

type PromClient = typeof import('prom-client')

export interface MetricRow {
  readonly name: string
  readonly kind: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  readonly buckets?: readonly number[]
}

const PASS_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600]
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 40]
const SYNC_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

const gauge = (name: string, help: string, ...labels: string[]): MetricRow & {readonly kind: 'gauge'} => ({
  ...{name, kind: 'gauge', help, labels},
})
const counter = (
  name: string,
  help: string,
  ...labels: string[]
): MetricRow & {readonly kind: 'counter'} => ({
  ...{name, kind: 'counter', help, labels},
})
const histogram = (
  name: string,
  help: string,
  buckets: readonly number[],
  ...labels: string[]
): MetricRow & {readonly kind: 'histogram'} => ({
  ...{name, kind: 'histogram', help, labels, buckets},
})

export const METRICS = {
  buildInfo: gauge('felhom_build_info', 'Always 1; the version is a label.', 'version', 'node'),
  mode: gauge('felhom_mode', '1 for the mode of the settings, 0 for the others.', 'mode'),
  permission: gauge(
    'felhom_permission',
    '1 for what the last pass was allowed to do at its beginning.',
    'permission',
  ),
  passes: counter(
    'felhom_passes_total',
    'Passes: ok, failed, or interrupted because the daemon was told to end.',
    'result',
  ),
  passDuration: histogram('felhom_pass_duration_seconds', 'How long passes take.', PASS_SECONDS),
  lastPass: gauge('felhom_last_pass_timestamp_seconds', 'When the last pass ended, well or not.'),
  lastGoodPass: gauge('felhom_last_good_pass_timestamp_seconds', 'When a pass last ended well.'),
  guests: gauge(
    'felhom_guests',
    'Guests by state: managed, of these unchanged and drifted, and unmanaged.',
    'state',
  ),
  drift: gauge(
    'felhom_drift_actions',
    'What is left to be done after the last pass; of guests that differ only, at most 1000.',
    ...['guest', 'class'],
  ),
  planProblems: gauge(
    'felhom_plan_problems',
    'Mistakes and warnings that the last plan came with.',
    'severity',
  ),
  actions: counter(
    'felhom_actions_total',
    'Actions that were tried, those of signed jobs included, by kind and outcome.',
    ...['kind', 'outcome'],
  ),
  inFlight: gauge('felhom_in_flight', 'Operations that have begun and of which no end is known.'),
  quarantined: gauge('felhom_quarantined', 'Operations that wait for the word of an operator.'),
  disarmed: gauge('felhom_disarmed', '1 while nothing destructive is done because the journal misses tasks.'),
  pendingSignatures: gauge('felhom_pending_signatures', 'Actions that wait for a signature.'),
  suspended: gauge(
    'felhom_suspended',
    'scope all: 1 while all is suspended; scope guests: how many are.',
    'scope',
  ),
  backingOff: gauge(
    'felhom_backing_off',
    'Guests for which something came to nothing, and whose next attempt waits.',
  ),
  sourceState: gauge('felhom_source_state', '1 for how the source stands: fresh, away or refused.', 'state'),
  sourceAge: gauge('felhom_source_age_seconds', 'Since when the source has not vouched for what is used.'),
  trustExpiry: gauge('felhom_trust_expiry_timestamp_seconds', 'When the trust store expires.'),
  requests: histogram(
    'felhom_api_request_seconds',
    'Requests to Proxmox, repeated ones included.',
    REQUEST_SECONDS,
    ...['method', 'route'],
  ),
  requestErrors: counter(
    'felhom_api_errors_total',
    'Requests to Proxmox that failed, by error code.',
    'code',
  ),
  syncs: histogram(
    'felhom_journal_sync_seconds',
    'Syncs of journal, nonces and audit to disk.',
    SYNC_SECONDS,
  ),
  alerts: counter(
    'felhom_alerts_total',
    'Alerts by kind and whether they began or are over.',
    'kind',
    'state',
  ),
  webhook: counter(
    'felhom_webhook_alerts_total',
    'Alerts that left the queue of the webhook, by result.',
    'result',
  ),
} as const satisfies Record<string, MetricRow>

type InstrumentOf<Kind> = Kind extends 'gauge' ? Gauge : Kind extends 'counter' ? Counter : Histogram
export type Instruments = {readonly [K in keyof typeof METRICS]: InstrumentOf<(typeof METRICS)[K]['kind']>}

/** `collect`: for what is computed when somebody looks. */
export function makeInstruments(
  client: PromClient,
  registry: Registry,
  collect: {readonly [K in keyof typeof METRICS]?: () => void},
): Instruments {
  const made = Object.entries<MetricRow>(METRICS).map(([key, row]) => {
    const own = collect[key as keyof typeof METRICS]
    return [key, makeInstrument(client, registry, row, own)]
  })
  return Object.fromEntries(made) as Instruments
}

function makeInstrument(
  client: PromClient,
  registry: Registry,
  {name, kind, help, labels, buckets}: MetricRow,
  collect: (() => void) | undefined,
): Counter | Gauge | Histogram {
  const common = {name, help, labelNames: [...labels], registers: [registry], ...(collect && {collect})}
  switch (kind) {
    case 'counter':
      return new client.Counter(common)
    case 'gauge':
      return new client.Gauge(common)
    case 'histogram':
      return new client.Histogram({...common, ...(buckets && {buckets: [...buckets]})})
  }
}

// The daemon's own process, measured when somebody looks and not in between: the names are those that dashboards for
// Prometheus know.
import {readdirSync} from 'node:fs'
import type {Registry} from 'prom-client'

const START_SECONDS = Date.now() / 1000 - process.uptime()

export const PROCESS_METRICS = {
  process_resident_memory_bytes: 'Resident memory.',
  process_open_fds: 'Open file descriptors.',
  process_start_time_seconds: 'When the process started.',
  process_cpu_seconds_total: 'CPU time of user and system.',
  nodejs_heap_size_used_bytes: 'Used part of the heap.',
  nodejs_eventloop_lag_seconds: 'How long a turn of the event loop was late at this moment.',
} as const

type ProcessMetric = keyof typeof PROCESS_METRICS

export function measureProcess(client: typeof import('prom-client'), registry: Registry): void {
  const gauge = (name: ProcessMetric, measure: () => number | Promise<number>): void => {
    const made = new client.Gauge({
      ...{name, help: PROCESS_METRICS[name], registers: [registry]},
      collect: async () => {
        made.set(await measure())
      },
    })
  }
  gauge('process_resident_memory_bytes', () => process.memoryUsage.rss())
  gauge('process_open_fds', countDescriptors)
  gauge('process_start_time_seconds', () => START_SECONDS)
  gauge('nodejs_heap_size_used_bytes', () => process.memoryUsage().heapUsed)
  gauge('nodejs_eventloop_lag_seconds', measureLag)
  const cpu = new client.Counter({
    name: 'process_cpu_seconds_total',
    help: PROCESS_METRICS.process_cpu_seconds_total,
    registers: [registry],
    collect: () => {
      const {user, system} = process.cpuUsage()
      cpu.reset()
      cpu.inc((user + system) / 1e6)
    },
  })
}

/** One of them is that of the reading itself. */
function countDescriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return 0
  }
}

function measureLag(): Promise<number> {
  const startMs = performance.now()
  return new Promise((resolve) => {
    setImmediate(() => {
      resolve((performance.now() - startMs) / 1000)
    })
  })
}

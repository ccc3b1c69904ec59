// Metrics as Prometheus' own parser understands them.
import {spawnSync} from 'node:child_process'
import {fileURLToPath} from 'node:url'

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly samples: readonly Sample[]
}

const SCRIPT = fileURLToPath(new URL('parse-exposition.py', import.meta.url))

/** Throws what the parser says where the text is not in the format. */
export function parseExposition(text: string): Family[] {
  const {status, stdout, stderr} = spawnSync('/usr/bin/python3', [SCRIPT], {input: text, encoding: 'utf8'})
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Family[]
}

/** Values by `name{label="value"}`, labels in the order of the alphabet. */
export const indexSamples = (samples: readonly Sample[]): Map<string, number> =>
  new Map(samples.map(({name, labels, value}) => [name + showLabels(labels), value]))

function showLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))
  return pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${value}"`).join(',')}}`
}

// A desired state from a text, as a file of it would be read.
import {DesiredReader} from '../../src/lib/desired/read-desired.ts'
import type {DesiredState} from '../../src/lib/model/desired.ts'

export function readDesiredText(text: string): DesiredState {
  const reader = new DesiredReader()
  reader.add({file: 'guests.yaml', dir: '/', bytes: new TextEncoder().encode(text)})
  const reading = reader.finish()
  if (reading.valid) return reading.state
  const mistakes = reading.diagnostics.map(({line, message}) => `${String(line)}: ${message}`)
  throw new Error(`${mistakes.join('\n')}\n${text}`)
}

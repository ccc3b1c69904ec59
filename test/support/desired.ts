// Desired state from texts, without files.
import {DesiredReader} from '../../src/lib/desired/read-desired.ts'
import type {DesiredGuest, DesiredReading, DesiredState, DesiredValue} from '../../src/lib/model/desired.ts'
import type {Diagnostic} from '../../src/lib/model/diagnostic.ts'

export type Texts = Readonly<Record<string, string | Uint8Array>>

/** File name → text; all of them stand in /project. */
export function readTexts(texts: Texts): DesiredReading {
  const reader = new DesiredReader()
  for (const [file, text] of Object.entries(texts)) {
    reader.add({file, dir: '/project', bytes: typeof text === 'string' ? Buffer.from(text) : text})
  }
  return reader.finish()
}

export function stateOf(texts: Texts | string): DesiredState {
  const reading = readTexts(typeof texts === 'string' ? {'guests.yaml': texts} : texts)
  if (reading.valid) return reading.state
  throw new Error(
    `not valid: ${reading.diagnostics.map((d) => `${String(d.line)}: ${d.message}`).join('; ')}`,
  )
}

export function mistakesIn(texts: Texts | string | Uint8Array): readonly Diagnostic[] {
  const isText = typeof texts === 'string' || texts instanceof Uint8Array
  const reading = readTexts(isText ? {'guests.yaml': texts} : texts)
  return reading.valid ? [] : reading.diagnostics
}

/** The only guest of a file, from what stands below its number. */
export function guestOf(body: string, head = ''): DesiredGuest {
  const [guest] = stateOf(`felhom: 1\n${head}guests:\n  101: ${body}\n`).guests
  if (!guest) throw new Error('no guest')
  return guest
}

export const valueOf = (guest: DesiredGuest, option: string): DesiredValue | undefined =>
  guest.options.get(option)?.value

export const mistakesOf = (body: string, head = ''): readonly Diagnostic[] =>
  mistakesIn(`felhom: 1\n${head}guests:\n  101: ${body}\n`)

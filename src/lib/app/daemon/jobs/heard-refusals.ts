// What was said of a job's signatures before, so that the gate is asked and its answer audited once, and not in every
// pass. A digest of the words, and the code that the gate gave with them.
import type {Refusal} from '../../../model/approval.ts'
import {digest} from '../tell/matter.ts'

type Code = Refusal['code']

/** The code, if the same was said before; else it is noted, and the gate has to be asked. */
export function recallRefusal(heard: Map<string, string>, nonce: string, words: string): Code | undefined {
  const now = digest(words)
  const [before, code = 'pending_signature'] = heard.get(nonce)?.split(' ') ?? []
  if (before === now) return code as Code
  heard.set(nonce, now)
  return undefined
}

export function noteRefusal(heard: Map<string, string>, nonce: string, code: Code): void {
  const [words] = heard.get(nonce)?.split(' ') ?? []
  if (words !== undefined) heard.set(nonce, `${words} ${code}`)
}

// Looks at what the daemon was told to leave alone: easily forgotten, and then nothing converges.
import type {Finding} from '../../model/health.ts'
import {describeSuspensions} from '../../report/suspension-text.ts'
import {holdsAt, readKeptSuspensions} from '../../store/suspensions.ts'

/** No finding where nothing is suspended. */
export function checkSuspensions(state: string, nowMs: number): Finding[] {
  const base = {id: 'suspensions', title: 'Suspensions'}
  const kept = readKeptSuspensions(state)
  if ('problem' in kept) {
    const detail = `${kept.problem}: a daemon leaves every guest alone until it is mended`
    return [{...base, verdict: 'mend', detail, advice: kept.mend}]
  }
  const texts = describeSuspensions(kept.suspensions.filter((one) => holdsAt(one, nowMs)))
  return texts.length === 0 ? [] : [{...base, verdict: 'note', detail: texts.join(' ')}]
}

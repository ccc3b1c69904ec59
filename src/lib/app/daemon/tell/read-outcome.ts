// An outcome as it was written; whoever else can write there may have put anything in its place.
import {readFileSync} from 'node:fs'

export type WrittenOutcome = Readonly<Record<string, unknown>>

export function readOutcome(path: string): WrittenOutcome | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? (value as WrittenOutcome) : undefined
  } catch {
    // None, or one that was not ours: it is written anew.
    return undefined
  }
}

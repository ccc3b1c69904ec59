// The one JSON shape that every command prints under --json. Its version rises only when a key changes its
// meaning or goes; new keys may come at any time.
import type {Diagnostic} from '../model/diagnostic.ts'

export const SCHEMA_VERSION = 1

export interface EnvelopeError {
  code: string
  message: string
  hint?: string
  doubt?: string
  diagnostics?: readonly Diagnostic[]
}

export interface Envelope {
  schemaVersion: number
  ok: boolean
  result: unknown
  warnings: string[]
  error: EnvelopeError | null
}

export const successEnvelope = (result: unknown, warnings: string[]): Envelope => ({
  schemaVersion: SCHEMA_VERSION,
  ok: true,
  result: result ?? null,
  warnings,
  error: null,
})

export const errorEnvelope = (error: EnvelopeError, warnings: string[]): Envelope => ({
  schemaVersion: SCHEMA_VERSION,
  ok: false,
  result: null,
  warnings,
  error,
})

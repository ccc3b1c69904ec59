// What an error says to a person and to a machine, and the number the process ends with. oclif's errors come
// from more than one copy of it, since plugins bring their own: they are known by their shape.
import {stripVTControlCharacters} from 'node:util'
import {DiagnosticsError} from '../model/diagnostics-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {EnvelopeError} from '../report/envelope.ts'
import {EXIT, exitCodeOf} from './exit-codes.ts'

interface OclifError extends Error {
  code?: string
  oclif: {exit?: number}
}

const isOclifError = (error: unknown): error is OclifError =>
  error instanceof Error && 'oclif' in error && typeof error.oclif === 'object' && error.oclif !== null

/** The command line could not be understood. Of oclif's own errors only this one is the user's. */
const isUsageError = (error: unknown): error is OclifError =>
  isOclifError(error) && error.code !== 'MODULE_NOT_FOUND'

/** The number with which oclif wants to end silently, if that is what it threw. */
export function silentExitCode(error: unknown): number | undefined {
  return isOclifError(error) && error.code === 'EEXIT' ? (error.oclif.exit ?? EXIT.ok) : undefined
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof FelhomError) return exitCodeOf(error.code)
  return isUsageError(error) ? EXIT.usage : EXIT.unexpected
}

export function describeError(error: unknown): EnvelopeError {
  if (error instanceof FelhomError) {
    return {
      code: error.code,
      message: error.message,
      ...(error.hint !== undefined && {hint: error.hint}),
      ...(error.doubt !== undefined && {doubt: error.doubt}),
      ...(error instanceof DiagnosticsError && {diagnostics: error.diagnostics}),
    }
  }
  if (isUsageError(error))
    return {code: 'usage', message: tidyUsage(error.message), hint: 'See more with --help.'}
  return {
    code: 'unexpected',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    doubt: 'This is a bug in felhom. What it was about to do next was not done.',
    hint: 'Run it again with DEBUG=* for the place in the code, and report both.',
  }
}

/** oclif lays out its messages with tabs, colours and a line of help; only the words are kept. */
function tidyUsage(message: string): string {
  const words = stripVTControlCharacters(message)
    .replace(/\nSee more help with --help$/, '')
    .replace(/^Parsing (\S+)\s+(\w)/, (_, flag: string, first: string) => `${flag}: ${first.toLowerCase()}`)
  return words
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n')
}

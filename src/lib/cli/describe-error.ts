// What an error says to a person and to a machine, and the number the process ends with. oclif's errors come
// from more than one copy of it, since plugins bring their own: they are known by their shape.
import {stripVTControlCharacters} from 'node:util'
import {DiagnosticsError} from '../model/diagnostics-error.ts'
import {FelhomError} from '../model/felhom-error.ts'
import {describeThrown} from '../plugin/describe-thrown.ts'
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
  isOclifError(error) && error.code !== 'MODULE_NOT_FOUND' && (owner === undefined || isOfParser(error))

/** Commands throw the same errors, for whatever they have to say. */
const isOfParser = (error: OclifError): boolean => 'parse' in error || error.message.startsWith('Parsing ')

let owner: string | undefined

/** The command that runs is of this plugin: what it throws is no bug of felhom, and its exit codes are its own. */
export function nameOwner(plugin: string): void {
  owner = plugin
}

/** The number with which oclif wants to end silently, if that is what it threw. */
export function silentExitCode(error: unknown): number | undefined {
  return isOclifError(error) && error.code === 'EEXIT' ? (error.oclif.exit ?? EXIT.ok) : undefined
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof FelhomError) return exitCodeOf(error.code)
  if (isUsageError(error)) return EXIT.usage
  if (owner === undefined) return EXIT.unexpected
  return (isOclifError(error) && error.oclif.exit) || EXIT.invalid
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
  if (owner !== undefined) return describeOwn(error, owner)
  return {
    code: 'unexpected',
    message: error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    doubt: 'This is a bug in felhom. What it was about to do next was not done.',
    hint: 'Run it again with DEBUG=* for the place in the code, and report both.',
  }
}

function describeOwn(error: unknown, plugin: string): EnvelopeError {
  if (isOclifError(error)) return {code: 'plugin_failed', message: error.message}
  return {
    code: 'plugin_failed',
    message: `${plugin}: ${describeThrown(error)}`,
    hint: 'The command is of this plugin. Mend or remove it: felhom plugins list',
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

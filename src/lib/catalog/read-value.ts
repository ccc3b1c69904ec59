// What a person wrote as the value of an option, in the words that Proxmox takes, or all that is wrong with it.
// Proxmox's own text is always understood; numbers, lists, maps and units are too where they make sense.
import type {DesiredValue, SecretSource} from '../model/desired.ts'
import {type Guess, nearestWord} from '../model/nearest-word.ts'
import {checkFormat} from './check-format.ts'
import {splitList} from './normalise-part.ts'
import type {Option} from './option.ts'
import {indexFormat, type PropertyFormat} from './property-format.ts'
import {printProperties} from './property-string.ts'
import {joinItems, type PartsReading, readPartsMap, readPartsText} from './read-parts.ts'
import {readScalar} from './read-scalar.ts'
import {encodeSshKeys, isSshKey, readSshKeys} from './ssh-keys.ts'
import {describeWritten, type ValueProblem} from './value-problem.ts'

export type {ValueProblem} from './value-problem.ts'

export type ValueReading = {readonly value: DesiredValue} | {readonly problems: readonly ValueProblem[]}

/** Whoever reads many values sets a bound to the guesses. */
export function readValue(option: Option, written: unknown, guess: Guess = nearestWord): ValueReading {
  if (written === null) return {value: {is: 'removed'}}
  if (!option.isComparable) return readSecret(written)
  if (isMap(written) && ('fromFile' in written || 'fromEnv' in written)) {
    return refuse(`${option.name} is no secret`, 'the value itself, in this file')
  }
  if (option.format) return readProperties(option, option.format, written, guess)
  if (option.name === 'sshkeys') return readKeys(written)
  return readPlain(option, written, guess)
}

function refuse(message: string, expected: string, path: (string | number)[] = []): ValueReading {
  return {problems: [{path, message, expected}]}
}

function isMap(written: unknown): written is Record<string, unknown> {
  return typeof written === 'object' && written !== null && !Array.isArray(written)
}

function readSecret(written: unknown): ValueReading {
  const expected = '{fromFile: PATH} or {fromEnv: NAME}'
  if (!isMap(written)) return refuse('a secret is not written into this file', expected)
  const [[key, from] = ['', ''], ...more] = Object.entries(written)
  if (more.length > 0 || typeof from !== 'string' || from === '') {
    return refuse('this does not say where the secret comes from', expected)
  }
  const source: SecretSource | undefined =
    key === 'fromFile' ? {file: from} : key === 'fromEnv' ? {env: from} : undefined
  if (source) return {value: {is: 'secret', from: source}}
  return refuse(`a secret has no "${key}"`, expected, [key])
}

function readProperties(
  option: Option,
  format: PropertyFormat,
  written: unknown,
  guess: Guess,
): ValueReading {
  if (isMap(written)) {
    const {parts, problems} = readPartsMap(option, format, Object.entries(written), guess)
    return problems.length > 0 ? {problems} : {value: {is: 'parts', parts}}
  }
  return concludeText(format, readWhole(option, format, written, guess))
}

/** A text is read part by part; a number, a flag or a list is the value of the part that needs no name. */
function readWhole(option: Option, format: PropertyFormat, written: unknown, guess: Guess): PartsReading {
  if (typeof written === 'string') return readPartsText(option, format, written, guess)
  const name = Array.isArray(written) && 'order' in format ? 'order' : indexFormat(format).defaultKey
  if (name !== undefined && !isMap(written)) {
    const {parts, problems} = readPartsMap(option, format, [[name, written]], guess)
    return {parts, problems: problems.map((problem) => ({...problem, path: problem.path.slice(1)}))}
  }
  const expected = "a map of its parts, or Proxmox's own text"
  const message = `${describeWritten(written)} does not fit here`
  return {parts: new Map(), problems: [{path: [], message, expected}]}
}

function concludeText(format: PropertyFormat, {parts, problems}: PartsReading): ValueReading {
  if (problems.length > 0) return {problems}
  const set = new Map<string, string>()
  for (const [name, value] of parts) if (value !== null) set.set(name, value)
  return {value: {is: 'text', text: printProperties(format, set)}}
}

function readKeys(written: unknown): ValueReading {
  const texts: unknown[] = Array.isArray(written) ? written : [written]
  const keys: string[] = []
  const problems: ValueProblem[] = []
  for (const [position, text] of texts.entries()) {
    const found = typeof text === 'string' ? readSshKeys(text) : []
    keys.push(...found)
    if (typeof text === 'string' && found.every(isSshKey)) continue
    const path = Array.isArray(written) ? [position] : []
    const message = `${describeWritten(text)} is no public key`
    problems.push({path, message, expected: 'public keys such as "ssh-ed25519 AAAA… name", one per line'})
  }
  return problems.length > 0 ? {problems} : {value: {is: 'text', text: encodeSshKeys(keys)}}
}

function readPlain(option: Option, written: unknown, guess: Guess): ValueReading {
  const {separator, textFormat: format} = option
  const plain =
    Array.isArray(written) && separator !== undefined ? joinItems(written, separator) : {text: written}
  if ('problem' in plain) return {problems: [plain.problem]}
  if (option.name === 'hotplug' && typeof plain.text === 'boolean') plain.text = plain.text ? '1' : '0'
  const isProse = option.name === 'description'
  const result = readScalar({...option, format, isProse}, plain.text, guess)
  if ('flaw' in result) return {problems: [{path: [], ...result.flaw}]}
  const problems = checkItems(option, result.text, Array.isArray(written))
  return problems.length > 0 ? {problems} : {value: {is: 'text', text: result.text}}
}

function checkItems(option: Option, text: string, isList: boolean): ValueProblem[] {
  if (option.listFormat === undefined) return []
  if (option.name === 'hotplug' && (text === '0' || text === '1')) return []
  const problems: ValueProblem[] = []
  for (const [position, item] of splitList(text).entries()) {
    const expected = checkFormat(option.listFormat, item)
    if (expected === undefined) continue
    problems.push({path: isList ? [position] : [], message: `"${item}" does not fit here`, expected})
  }
  return problems
}

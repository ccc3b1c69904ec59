// The bytes of one document → what it says. It is either a desired-state file itself, or a bundle of files, approvals
// and jobs in JSON with a closed schema; envelopes are cut out of it as they stand there.
import {byName, isPlainName, MAX_CARRIED_BYTES, MAX_ENVELOPES, MAX_TEXTS, partOf} from './bundle-limits.ts'
import {JsonScanner, ScanError} from './json-scanner.ts'
import type {Bundle, CarriedEnvelope} from './source.ts'

type Content = Omit<Bundle, 'revision'>

const KEYS: ReadonlySet<string> = new Set(['felhom_bundle', 'serial', 'files', 'approvals', 'jobs'])
const EXPECTED = '{"felhom_bundle": 1, "files": {"guests.yaml": "…"}}'

/** `name`: of the file, if it is one. A problem is one clause. */
export function decodeBundle(bytes: Uint8Array, name: string): Content | {readonly problem: string} {
  if (!looksLikeBundle(bytes)) return {texts: [{file: name, dir: '', bytes}], approvals: [], jobs: []}
  try {
    return readContent(new JsonScanner(bytes))
  } catch (error) {
    if (error instanceof ScanError) return {problem: `it is no bundle: ${error.message}`}
    throw error
  }
}

/** By its first key: a desired-state file, which may be written as JSON too, has none of these. */
function looksLikeBundle(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString('latin1')
  const [, key = ''] = /^[ \t\r\n]*\{[ \t\r\n]*"([a-z_]*)"/.exec(start) ?? []
  return KEYS.has(key)
}

function readContent(scanner: JsonScanner): Content {
  let version: number | undefined
  let serial: number | undefined
  let texts: Content['texts'] | undefined
  let [approvals, jobs]: CarriedEnvelope[][] = [[], []]
  scanner.map((key) => {
    if (key === 'felhom_bundle') version = scanner.whole()
    else if (key === 'serial') serial = scanner.whole()
    else if (key === 'files') texts = readTexts(scanner)
    else if (key === 'approvals') approvals = readEnvelopes(scanner, key)
    else if (key === 'jobs') jobs = readEnvelopes(scanner, key)
    else throw new ScanError(`there is no key ${JSON.stringify(key.slice(0, 80))} in it`)
  })
  scanner.end()
  if (version !== 1) throw new ScanError(`${EXPECTED} was expected, and felhom_bundle is 1`)
  if (!texts) throw new ScanError(`${EXPECTED} was expected, and there are no files`)
  return {...(serial !== undefined && {serial}), texts, approvals: approvals ?? [], jobs: jobs ?? []}
}

function readTexts(scanner: JsonScanner): Content['texts'] {
  const files: {name: string; bytes: Uint8Array}[] = []
  scanner.map((name) => {
    if (!isPlainName(name) || partOf(name) !== 'text')
      throw new ScanError(`${JSON.stringify(name.slice(0, 80))} is no name of a .yaml file in a bundle`)
    if (files.length === MAX_TEXTS) throw new ScanError(`there are more than ${MAX_TEXTS} files in it`)
    files.push({name, bytes: Buffer.from(scanner.string(), 'utf8')})
  })
  return files.sort(byName).map(({name, bytes}) => ({file: name, dir: '', bytes}))
}

function readEnvelopes(scanner: JsonScanner, key: string): CarriedEnvelope[] {
  const envelopes: CarriedEnvelope[] = []
  scanner.list((index) => {
    if (index === MAX_ENVELOPES) throw new ScanError(`there are more than ${MAX_ENVELOPES} ${key} in it`)
    envelopes.push({name: `${key}[${index}]`, bytes: scanner.mapBytes(MAX_CARRIED_BYTES)})
  })
  return envelopes
}

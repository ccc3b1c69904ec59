// Readers of single setting values. Each takes what a YAML file, a variable or a flag gave and returns the
// value or what it expected instead; none throws, so that all mistakes can be told at once.
import {isAbsolute, resolve} from 'node:path'
import parseDuration from 'parse-duration'
import type {DesiredSource, MaintenanceWindow} from './settings.ts'

export type Reading<T> = {value: T} | {expected: string}

/** `baseDir`: what a relative path is relative to, the directory of the file that names it. */
export type Reader<T> = (raw: unknown, baseDir: string) => Reading<T>

export const readText: Reader<string> = (raw) =>
  typeof raw === 'string' && raw.trim() !== '' ? {value: raw.trim()} : {expected: 'a text'}

export const readPath: Reader<string> = (raw, baseDir) => {
  const reading = readText(raw, baseDir)
  if ('expected' in reading) return {expected: 'a path'}
  return {value: isAbsolute(reading.value) ? reading.value : resolve(baseDir, reading.value)}
}

export const readUrl: Reader<string> = (raw) => {
  const expected = 'an address such as https://pve1.example:8006'
  if (typeof raw !== 'string' || !URL.canParse(raw)) return {expected}
  const url = new URL(raw)
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return {expected}
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    return {expected: `${expected}, with no path after it`}
  // A URL forgets 443, the port of the web; unwritten it means Proxmox's own, 8006.
  return {value: /:443\/?$/.test(raw.trim()) ? `${url.origin}:443` : url.origin}
}

export const readWebUrl: Reader<string> = (raw) =>
  typeof raw === 'string' && URL.canParse(raw) && /^https?:$/.test(new URL(raw).protocol)
    ? {value: raw}
    : {expected: 'an http or https address'}

/** A hundred years. A time that is further away leaves the calendar of JavaScript sooner or later. */
const LONGEST_MS = 36_525 * 86_400_000

/** A duration must carry its unit, and be positive: `5` and `-5m` are slips, not durations. */
export const readDurationMs: Reader<number> = (raw) => {
  const expected = 'a duration with its unit, such as 45s or 2h'
  if (typeof raw !== 'string' || !/^\s*\d/.test(raw) || !/[a-z]\s*$/i.test(raw)) return {expected}
  const ms = parseDuration(raw)
  if (ms === null || Number.isNaN(ms) || ms <= 0) return {expected}
  return ms <= LONGEST_MS ? {value: Math.round(ms)} : {expected: 'a duration of a hundred years or less'}
}

/** Both as a setting writes them. */
export const readDurationWithin = ({least, most}: {least?: string; most?: string}): Reader<number> => {
  const leastMs = least === undefined ? 0 : (parseDuration(least) ?? 0)
  const mostMs = most === undefined ? Infinity : (parseDuration(most) ?? 0)
  return (raw, baseDir) => {
    const reading = readDurationMs(raw, baseDir)
    if (!('value' in reading)) return reading
    if (reading.value < leastMs) return {expected: `a duration of ${least} or more`}
    return reading.value > mostMs ? {expected: `a duration of ${most} or less`} : reading
  }
}

export const readWhole =
  (min: number, max: number): Reader<number> =>
  (raw) => {
    const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw
    return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? {value}
      : {expected: `a whole number from ${min} to ${max}`}
  }

export const readShare: Reader<number> = (raw) => {
  const value = typeof raw === 'string' && /^\d*\.?\d+$/.test(raw) ? Number(raw) : raw
  return typeof value === 'number' && value >= 0 && value <= 1 ? {value} : {expected: 'a share from 0 to 1'}
}

export const readChoice =
  <T extends string>(choices: readonly T[]): Reader<T> =>
  (raw) => {
    const value = choices.find((c) => c === raw)
    return value === undefined ? {expected: `one of ${choices.join(', ')}`} : {value}
  }

/** One value or a list of them; a variable of the environment separates them by commas. */
export const readList =
  <T>(item: Reader<T>): Reader<T[]> =>
  (raw, baseDir) => {
    const parts: unknown[] = Array.isArray(raw)
      ? raw
      : typeof raw === 'string'
        ? raw.split(',').map((s) => s.trim())
        : [raw]
    const values: T[] = []
    for (const part of parts) {
      const reading = item(part, baseDir)
      if ('expected' in reading) return {expected: `${reading.expected}, or a list of such`}
      values.push(reading.value)
    }
    return values.length > 0 ? {value: values} : {expected: 'at least one entry'}
  }

export const readFingerprint: Reader<string> = (raw) => {
  const hex = typeof raw === 'string' ? raw.replaceAll(':', '').toUpperCase() : ''
  return /^[0-9A-F]{64}$/.test(hex)
    ? {value: hex.match(/../g)?.join(':') ?? hex}
    : {expected: "a certificate's SHA-256 fingerprint, 32 bytes as AB:CD:…"}
}

export const readGenesis: Reader<string> = (raw) =>
  typeof raw === 'string' && /^sha256:[0-9a-f]{64}$/.test(raw)
    ? {value: raw}
    : {expected: "'sha256:' and 64 hex digits"}

export const readListen: Reader<string> = (raw) =>
  typeof raw === 'string' && /^(?:\[[0-9a-f:]+\]|[^:\s]+):\d{1,5}$/i.test(raw)
    ? {value: raw}
    : {expected: 'host:port, such as 127.0.0.1:9610'}

export const readDesired: Reader<DesiredSource> = (raw, baseDir) => {
  const expected = 'a path, a list of paths, {git: …}, {https: …} or {provider: …}'
  if (typeof raw === 'string' || Array.isArray(raw)) {
    const paths = readList(readPath)(raw, baseDir)
    return 'value' in paths ? {value: {paths: paths.value}} : {expected}
  }
  if (typeof raw !== 'object' || raw === null) return {expected}
  const fields = raw as Record<string, unknown>
  if ('git' in fields) return readGit(fields, baseDir)
  if ('https' in fields) return readHttps(fields, baseDir)
  return 'provider' in fields ? readProvider(fields, baseDir) : {expected}
}

function readGit(fields: Record<string, unknown>, baseDir: string): Reading<DesiredSource> {
  const expected = '{git: ADDRESS}, with branch, path and depth as it pleases'
  const {git, branch, path, depth, ...rest} = fields
  const isText = (value: unknown): boolean => value === undefined || 'value' in readText(value, baseDir)
  if (typeof git !== 'string' || git.trim() === '' || Object.keys(rest).length > 0) return {expected}
  if (!isText(branch) || !isText(path)) return {expected}
  // What begins with a dash is an option to git, not an address.
  if (/^-/.test(git.trim()) || /^-/.test(String(branch))) return {expected}
  const deep = depth === undefined ? undefined : readWhole(1, 1_000_000)(depth, baseDir)
  if (deep && 'expected' in deep) return {expected: `${expected}; depth is ${deep.expected}`}
  const extra = {
    ...(typeof branch === 'string' && {branch: branch.trim()}),
    ...(typeof path === 'string' && {path: path.trim()}),
    ...(deep && {depth: deep.value}),
  }
  return {value: {git: resolveAddress(git.trim(), baseDir), ...extra}}
}

/** A path that says so is relative to the file that names it; all else is for git to understand. */
const resolveAddress = (address: string, baseDir: string): string =>
  /^\.{1,2}(\/|$)/.test(address) ? resolve(baseDir, address) : address

function readProvider(fields: Record<string, unknown>, baseDir: string): Reading<DesiredSource> {
  const {provider, options = {}, ...rest} = fields
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options)
  if (typeof provider !== 'string' || !isObject || Object.keys(rest).length > 0)
    return {expected: '{provider: NAME}, with the options that the plugin asks for as a map'}
  return {value: {provider, options: options as Record<string, unknown>, dir: baseDir}}
}

function readHttps(fields: Record<string, unknown>, baseDir: string): Reading<DesiredSource> {
  const expected = '{https: ADDRESS}, with files ca and token as it pleases'
  const {https, ca, token, ...rest} = fields
  if (typeof https !== 'string' || Object.keys(rest).length > 0) return {expected}
  if (!URL.canParse(https) || !https.startsWith('https://')) return {expected: 'an https address'}
  const files = {ca: readOptional(ca, baseDir), token: readOptional(token, baseDir)}
  if (files.ca === null || files.token === null) return {expected}
  return {
    value: {
      https,
      ...(files.ca !== undefined && {ca: files.ca}),
      ...(files.token !== undefined && {token: files.token}),
    },
  }
}

/** A path; undefined: none was written; null: it is none. */
function readOptional(raw: unknown, baseDir: string): string | undefined | null {
  if (raw === undefined) return undefined
  const reading = readPath(raw, baseDir)
  return 'value' in reading ? reading.value : null
}

export const readWindows: Reader<MaintenanceWindow[]> = (raw) => {
  const expected = 'a list of {cron: "0 2 * * *", duration: 2h, timezone: Europe/Budapest}'
  if (!Array.isArray(raw)) return {expected}
  const windows: MaintenanceWindow[] = []
  for (const entry of raw as unknown[]) {
    if (typeof entry !== 'object' || entry === null) return {expected}
    const {cron, duration, timezone = 'UTC', ...rest} = entry as Record<string, unknown>
    const length = readDurationMs(duration, '')
    const isCron = typeof cron === 'string' && /^\S+(?: \S+){4,5}$/.test(cron.trim())
    if (!isCron || 'expected' in length || !isTimezone(timezone) || Object.keys(rest).length > 0)
      return {expected}
    windows.push({cron: cron.trim(), durationMs: length.value, timezone})
  }
  return {value: windows}
}

function isTimezone(name: unknown): name is string {
  if (typeof name !== 'string') return false
  try {
    new Intl.DateTimeFormat('en', {timeZone: name})
    return true
  } catch {
    return false
  }
}

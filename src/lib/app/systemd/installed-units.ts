// The units as they are installed, for those who only look: what they start, which credentials they bring, and whose
// the state directory is.
import {lstatSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {ONCE_PATH, SERVICE_PATH, UNIT_USER, type UnitKind} from './render-units.ts'

export interface InstalledUnit {
  readonly kind: UnitKind
  /** Absolute, below no root. */
  readonly path: string
  readonly text: string
  /** Words of ExecStart. */
  readonly command: readonly string[]
  readonly credentials: readonly {readonly name: string; readonly path: string}[]
  /** Directories beside the state directory that it may write to. */
  readonly writable: readonly string[]
  /** Names of drop-ins. */
  readonly dropIns: readonly string[]
}

/** `root`: `/` but for tests. */
export function findUnits(root: string): readonly InstalledUnit[] {
  const kinds: readonly (readonly [UnitKind, string])[] = [
    ['daemon', SERVICE_PATH],
    ['timer', ONCE_PATH],
  ]
  return kinds.flatMap(([kind, path]) => {
    const text = readRegular(join(root, path))
    return text === undefined ? [] : [describeUnit(kind, path, text, root)]
  })
}

function describeUnit(kind: UnitKind, path: string, text: string, root: string): InstalledUnit {
  const values = (key: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${key}=`))
      .map((line) => line.slice(key.length + 1).trim())
  return {
    ...{kind, path, text},
    command: splitWords(values('ExecStart')[0] ?? '').map((word) => word.replaceAll('$$', '$')),
    credentials: values('LoadCredential').map((value) => {
      const [name = '', file = ''] = value.split(':')
      return {name, path: file}
    }),
    writable: values('ReadWritePaths').flatMap(splitWords),
    dropIns: listConf(join(root, `${path}.d`)),
  }
}

/** As render-units quotes them. */
function splitWords(line: string): string[] {
  const words = line.match(/"(?:\\.|[^"\\])*"|\S+/g) ?? []
  return words.map((word) =>
    (word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word).replaceAll('%%', '%'),
  )
}

/** undefined: it is not there, or masked. */
function readRegular(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

function listConf(dir: string): string[] {
  try {
    return readdirSync(dir).filter((name) => name.endsWith('.conf'))
  } catch {
    return []
  }
}

/** Of the user that the units run as; undefined: it was not made yet. */
export function findUnitUid(root: string): number | undefined {
  const [, uid] =
    new RegExp(`^${UNIT_USER}:[^:]*:(\\d+):`, 'm').exec(readRegular(join(root, 'etc/passwd')) ?? '') ?? []
  return uid === undefined ? undefined : Number(uid)
}

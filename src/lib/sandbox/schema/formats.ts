// Named formats by themselves: what `format: 'pve-node'` in the schema checks.
import {compileFormat} from './compile.ts'
import {codeFormats} from './code-formats.ts'
import {FormatError} from './format-error.ts'
import {objectFormats} from './named-formats.ts'

/** The text of Proxmox's complaint, without `invalid format - `; undefined where the value is right. */
export function checkFormat(name: string, value: string, path = ''): string | undefined {
  try {
    compileFormat(name)(value, path)
    return undefined
  } catch (error) {
    if (error instanceof FormatError) return error.message
    throw error
  }
}

export function isKnownFormat(name: string): boolean {
  const base = name.replace(/-(?:list|opt)$/, '')
  return name === 'regex' || Object.hasOwn(objectFormats, name) || Object.hasOwn(codeFormats, base)
}

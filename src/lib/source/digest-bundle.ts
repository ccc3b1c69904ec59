// The revision of what has no name of its own: a digest of every name and every byte, each with its length, so that
// no two different bundles can look the same.
import {createHash} from 'node:crypto'
import type {Bundle} from './source.ts'

export function digestBundle({texts, approvals, jobs}: Omit<Bundle, 'revision'>): string {
  const hash = createHash('sha256')
  const parts = [
    ['text', texts.map(({file, bytes}) => ({name: file, bytes}))],
    ['approval', approvals],
    ['job', jobs],
  ] as const
  for (const [part, items] of parts) {
    for (const {name, bytes} of items) {
      hash.update(`${part} ${Buffer.byteLength(name)} ${name} ${bytes.byteLength}\n`)
      hash.update(bytes)
    }
  }
  return `sha256:${hash.digest('hex')}`
}

// The short name of a key, as `ssh-keygen -l` prints it.
import {createHash} from 'node:crypto'

export function fingerprintKey(blob: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
}

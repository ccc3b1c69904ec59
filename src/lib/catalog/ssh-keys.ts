// Proxmox keeps the public keys for cloud-init URL-encoded; people write them as they stand in a file.

/** The keys, one per item, of an encoded or a plain text. */
export function readSshKeys(text: string): string[] {
  const lines = decodeKeys(text).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

export function encodeSshKeys(keys: readonly string[]): string {
  return encodeURIComponent(keys.map((key) => `${key}\n`).join(''))
}

/** A plain key has a space; an encoded one cannot. */
function decodeKeys(text: string): string {
  if (/\s/.test(text.trim())) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const KEY = /(?:^|\s)(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+[A-Za-z0-9+/]{16,}={0,2}(?:\s|$)/

export function isSshKey(line: string): boolean {
  return KEY.test(line)
}

// The texts of smbios1 may be written plainly or, with base64=1, encoded: the same texts are the same value.

/** Parts with the texts decoded and without the word that they are encoded. */
export function readSmbiosTexts(parts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (parts.get('base64') !== '1') return parts
  const read = new Map<string, string>()
  for (const [name, value] of parts) {
    if (name === 'base64') continue
    read.set(name, name === 'uuid' ? value : (decodeBase64(value) ?? value))
  }
  return read
}

export function decodeBase64(text: string): string | undefined {
  try {
    return atob(text)
  } catch {
    return undefined
  }
}

// Proxmox's lists in one text: separated by commas, semicolons, blanks, or NUL bytes alone where there is one.

export function splitList(text: string): string[] {
  if (text.includes('\0')) return dropTrailing(text.split('\0'))
  return dropTrailing(text.replace(/[,;]/g, ' ').replace(/^\s+/, '').split(/\s+/))
}

/** Perl's `split` without a limit: empty fields at the end are not returned. */
export function dropTrailing(parts: string[]): string[] {
  let length = parts.length
  while (length > 0 && parts[length - 1] === '') length--
  return length === parts.length ? parts : parts.slice(0, length)
}

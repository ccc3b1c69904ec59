// Sizes as Proxmox writes them in volume options: a number with K, M, G or T, in powers of 1024.

const UNITS: Record<string, number> = {K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4}

/** Bytes, or undefined where the text is no size. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(?:([KMGT])(?:iB)?)?\n?$/.exec(text)
  if (!match) return undefined
  return Math.trunc(Number(match[1]) * (UNITS[match[2] ?? ''] ?? 1))
}

/** The shortest exact text: the largest unit that divides the bytes. */
export function formatSize(bytes: number): string {
  let size = Math.trunc(bytes)
  let unit = ''
  for (const next of ['K', 'M', 'G', 'T']) {
    if (size % 1024 !== 0) break
    size /= 1024
    unit = next
  }
  return `${size}${unit}`
}

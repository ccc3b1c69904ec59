// Sizes: Proxmox's own units are binary (its G is 1024 M), and so are felhom's.

const SIZE = /^(\d+(?:\.\d+)?)\s*(?:([KMGT])(?:i?B)?)?$/i
const UNITS = ['', 'K', 'M', 'G', 'T'] as const

/** Bytes of `8G`, `8GiB`, `8.5g` or plain `1024`; undefined when it is no size. Rounded up to a whole byte. */
export function parseSizeBytes(text: string): number | undefined {
  const match = SIZE.exec(text.trim())
  if (!match) return undefined
  const power = UNITS.findIndex((unit) => unit === (match[2] ?? '').toUpperCase())
  const bytes = Math.ceil(Number(match[1]) * 1024 ** power)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

export function hasSizeUnit(text: string): boolean {
  return SIZE.exec(text.trim())?.[2] !== undefined
}

/** As Proxmox writes it: the largest unit that holds a whole number (`8G`, `51M`, `528K`, `1023`). */
export function formatSize(bytes: number): string {
  if (bytes === 0) return '0T'
  const [amount, unit] = inWholeUnits(bytes)
  return `${String(amount)}${unit}`
}

/** For people: `8GiB`. */
export function showSize(bytes: number): string {
  const [amount, unit] = inWholeUnits(bytes)
  return `${String(amount)}${unit === '' ? 'B' : `${unit}iB`}`
}

function inWholeUnits(bytes: number): [amount: number, unit: string] {
  let amount = bytes
  let power = 0
  while (amount !== 0 && amount % 1024 === 0 && power < UNITS.length - 1) {
    amount /= 1024
    power++
  }
  return [amount, UNITS[power] ?? '']
}

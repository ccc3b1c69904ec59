// Sizes for people, in the units that desired-state files take.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Exact: the largest unit that leaves a whole number. */
export function showBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value !== 0 && value % 1024 === 0 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${value}${UNITS[unit] ?? 'B'}`
}

/** `8G` of a config as `8GiB`; what is no such size stays as it is. */
export function showProxmoxSize(text: string): string {
  return text.replace(/^(\d+(?:\.\d+)?)([KMGT])$/, '$1$2iB')
}

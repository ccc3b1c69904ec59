// How many of each numbered option a guest may have: `net[n]` in the schema stands for net0 to net31. Where both
// kinds of guest know an option, they allow as many of it.

const COUNTS = new Map(
  Object.entries({
    dev: 256,
    hostpci: 16,
    ide: 4,
    ipconfig: 32,
    mp: 256,
    net: 32,
    numa: 8,
    parallel: 3,
    sata: 6,
    scsi: 31,
    serial: 4,
    unused: 256,
    usb: 14,
    virtio: 16,
    virtiofs: 10,
  }),
)

/** How many options of that name there are: 32 for `net`; 0 for an option without number. */
export function optionCount(name: string): number {
  return COUNTS.get(name) ?? 0
}

/** Splits `net3` into its name and number; undefined where the text has no plain number at its end. */
export function splitIndexed(option: string): {name: string; index: number} | undefined {
  let end = option.length
  while (end > 0 && isDigit(option.charCodeAt(end - 1))) end--
  const digits = option.length - end
  if (end === 0 || digits === 0 || digits > 3 || (digits > 1 && option[end] === '0')) return undefined
  return {name: option.slice(0, end), index: Number(option.slice(end))}
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

// IP addresses: which texts are one, and the one form in which two are compared.

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)

export function isIpv4(text: string): boolean {
  return IPV4.test(text)
}

export function isIpv6(text: string): boolean {
  return parseIpv6(text) !== undefined
}

export function isIpv4Cidr(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  return isIpv4(address) && more.length === 0 && isPrefix(bits, 32)
}

export function isIpv6Cidr(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  return isIpv6(address) && more.length === 0 && isPrefix(bits, 128)
}

function isPrefix(bits: string | undefined, most: number): boolean {
  return bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) >= 8 && Number(bits) <= most
}

/** The eight groups of an IPv6 address; undefined when it is none. */
function parseIpv6(text: string): number[] | undefined {
  const halves = spellOutIpv4(text).split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')))
  if (!head || [...head, ...(tail ?? [])].some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined
  const missing = 8 - head.length - (tail?.length ?? 0)
  if (tail ? missing < 1 : missing !== 0) return undefined
  const zeros = Array.from({length: missing}, () => '0')
  return [...head, ...zeros, ...(tail ?? [])].map((group) => parseInt(group, 16))
}

/** `::ffff:192.0.2.1` with its last four bytes as two groups. */
function spellOutIpv4(text: string): string {
  const start = text.lastIndexOf(':') + 1
  const last = text.slice(start)
  if (start === 0 || !isIpv4(last)) return text
  const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number)
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

/** IPv6 spelt out in lower case, with its prefix or interface if there is one; anything else as it is. */
export function normaliseAddress(text: string): string {
  const end = /[/%]/.exec(text)?.index ?? text.length
  const groups = parseIpv6(text.slice(0, end))
  if (!groups) return text
  return groups.map((group) => group.toString(16)).join(':') + text.slice(end)
}

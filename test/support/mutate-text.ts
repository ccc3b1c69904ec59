// Inputs for parsers of untrusted text: what is valid, broken at random, with the pieces that break parsers.
import {writeCanonical} from '../../src/lib/gate/canonical-json.ts'
import type {CanonicalValue} from '../../src/lib/model/approval.ts'
import type {Random} from '../simulation/random.ts'

const PIECES = [
  ...['{', '}', '[', ']', '"', ':', ',', '\\', '\\u0000', '\\ud800', '\\u0061', '\\"', '//', '/*'],
  ...['null', 'true', 'false', '0', '-0', '1.0', '1e400', '9007199254740993', '-1', '""', '{}', '[]'],
  ...['"__proto__":', '"constructor":', '"toJSON":', '"v":1,', '"a":', 'NaN', 'undefined'],
  ...[
    '\0',
    '\ufeff',
    '\u202e',
    '\u200b',
    'a\u0301',
    'é',
    '😀',
    ' ',
    '\t',
    '\r\n',
    '\n',
    '=',
    '==',
    'AAAA',
    '-----',
  ],
]
/** Deep, long, or slow to match. */
const LARGE = [
  (n: number) => '['.repeat(n),
  (n: number) => '{"a":'.repeat(n),
  (n: number) => '['.repeat(n) + ']'.repeat(n),
  (n: number) => `"${'\\'.repeat(n)}`,
  (n: number) => `"${'\\"'.repeat(n)}`,
  (n: number) => '"'.repeat(n),
  (n: number) => ' '.repeat(n),
  (n: number) => `[${'0,'.repeat(n)}0]`,
  (n: number) => 'A'.repeat(n),
  (n: number) => `ssh-ed25519 ${'A'.repeat(n)}`,
  (n: number) => `ssh-ed25519 AAAA ${' '.repeat(n)}`,
  (n: number) => `-----BEGIN SSH SIGNATURE-----\n${'A\n'.repeat(n)}`,
]

/** Of one of `valid`, or of nothing. */
export function mutateText(random: Random, valid: readonly Buffer[]): Buffer {
  switch (random.below(8)) {
    case 0:
      return randomBytes(random, random.below(300))
    case 1:
      return Buffer.from(Array.from({length: random.below(40)}, () => random.pick(PIECES)).join(''))
    case 2:
      return Buffer.from(random.pick(LARGE)(random.pick([100, 5000, random.chance(0.05) ? 60_000 : 1000])))
    default:
      return breakBytes(random, random.pick(valid))
  }
}

function breakBytes(random: Random, valid: Buffer): Buffer {
  let bytes = valid
  for (let left = random.between(1, 4); left > 0; left--) {
    const at = random.below(bytes.length + 1)
    const until = random.chance(0.5) ? at : at + random.below(20)
    const put = random.chance(0.5) ? Buffer.from(random.pick(PIECES)) : randomBytes(random, random.below(4))
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(until)])
  }
  return bytes
}

export const randomBytes = (random: Random, length: number): Buffer =>
  Buffer.from(Array.from({length}, () => random.below(256)))

const VALUES: readonly CanonicalValue[] = [
  ...[
    null,
    true,
    false,
    0,
    1,
    -1,
    104,
    2 ** 53,
    1.5,
    '',
    '104',
    'x',
    'guest.destroy',
    'recovery',
    'ssh-ed25519 AAAA',
  ],
  ...[
    '2026-02-30T00:00:00Z',
    '9999-12-31T23:59:59Z',
    `sha256:${'f'.repeat(64)}`,
    'A'.repeat(22),
    'x'.repeat(3000),
  ],
  ...[[], [[]], [null], {}, {a: 1}, {vmid: 1}, [1, 2], [{}]],
]

/** Canonical bytes with one value in them, at any depth, replaced, doubled or left out. */
export function replaceField(random: Random, canonical: Uint8Array): Buffer {
  const root = JSON.parse(Buffer.from(canonical).toString()) as CanonicalValue
  return Buffer.from(writeCanonical(change(random, root)))
}

function change(random: Random, value: CanonicalValue): CanonicalValue {
  if (typeof value !== 'object' || value === null || random.chance(0.1)) return random.pick(VALUES)
  const entries = Object.entries(value)
  const [name, item] = random.pick([...entries, ['extra', null] as const])
  const rest = entries.filter(([key]) => key !== name)
  const changed: [string, CanonicalValue][] = random.chance(0.15) ? [] : [[name, change(random, item)]]
  if (!Array.isArray(value)) return Object.fromEntries([...rest, ...changed])
  const items = [...rest, ...changed].map(([, one]) => one)
  return random.chance(0.2) ? [...items, ...items] : items
}

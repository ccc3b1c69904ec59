// Points of the curve of ed25519, as far as telling weak keys asks: whether 32 bytes are the one encoding of a point,
// and whether that point has small order. Only public keys come here: nothing needs to take the same time.

const P = 2n ** 255n - 19n
const D = mod(-121665n * power(121666n, P - 2n))
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n)

/** Projective: x = X/Z, y = Y/Z. */
export interface EdwardsPoint {
  readonly x: bigint
  readonly y: bigint
  readonly z: bigint
}

/** Undefined: it is no point, or a point that has another encoding. */
export function readEdwardsPoint(bytes: Buffer): EdwardsPoint | undefined {
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  const [sign, y] = [number >> 255n, number & (2n ** 255n - 1n)]
  const x = y < P ? rootAt(y) : undefined
  if (x === undefined || (x === 0n && sign === 1n)) return undefined
  return {x: (x & 1n) === sign ? x : P - x, y, z: 1n}
}

/** x of −x² + y² = 1 + d·x²·y². */
function rootAt(y: bigint): bigint | undefined {
  const square = mod((y * y - 1n) * power(D * y * y + 1n, P - 2n))
  const root = power(square, (P + 3n) / 8n)
  return [root, mod(root * ROOT_OF_MINUS_ONE)].find((x) => mod(x * x) === square)
}

/** One of the eight points that eight times themselves are nothing: whose signatures anybody can make. */
export function hasSmallOrder(point: EdwardsPoint): boolean {
  const {x, y, z} = double(double(double(point)))
  return x === 0n && y === z
}

function double({x, y, z}: EdwardsPoint): EdwardsPoint {
  const [xx, yy, zz] = [x * x, y * y, z * z]
  const f = mod(yy - xx)
  const j = mod(f - 2n * zz)
  return {x: mod(2n * x * y * j), y: mod(f * (-xx - yy)), z: mod(f * j)}
}

function mod(number: bigint): bigint {
  const rest = number % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (let [square, left] = [mod(base), exponent]; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}

// A string as SSH writes it, said once more: what is forged for the gate must not be made by the gate.
export function wireString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

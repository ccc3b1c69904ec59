// What the end of a log is, when it is no whole line: an append that was cut short, or damage. To take damage for a
// torn append would lose a durable record in silence; so whatever cannot come from a cut append is damage.

const SECTOR_BYTES = 512

/** A write that was cut leaves the beginning of a record; or sectors that were never written, which read as zeros. */
export function isTorn(tail: Buffer, offset: number, seq: number): boolean {
  if (hasZeroSector(tail, offset)) return true
  return tail[tail.length - 1] !== 0x0a && isRecordPrefix(tail, seq)
}

/**
 * All that the line has in some sector is zeros. In its first one earlier records may end, which are whole: then that
 * sector was written when they were, and not since.
 */
function hasZeroSector(tail: Buffer, offset: number): boolean {
  for (let at = 0; at < tail.length;) {
    const next = at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES)
    if (tail.subarray(at, next).every((byte) => byte === 0)) return true
    at = next
  }
  return false
}

/** An object that begins as record `seq` does and is not closed yet. */
function isRecordPrefix(tail: Buffer, seq: number): boolean {
  const opening = Buffer.from(`{"seq":${seq},`)
  const known = Math.min(opening.length, tail.length)
  return tail.compare(opening, 0, known, 0, known) === 0 && !isClosed(tail)
}

/** Whether the outermost object ends within these bytes, or something is there that no record holds. */
function isClosed(bytes: Buffer): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte < 0x20) return true
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
    if (depth === 0) return true
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

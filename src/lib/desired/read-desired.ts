// Text → DesiredState. It knows the format of the files and asks the catalog about options; of the world it
// touches nothing but the texts it is given. It guarantees a complete state or every mistake with its place,
// in bounded time and memory, whatever the texts hold.
import type {DesiredGuest, DesiredReading, SourcePlace} from '../model/desired.ts'
import type {Diagnostic} from '../model/diagnostic.ts'
import {guessAtMost, type Guess} from '../model/nearest-word.ts'
import type {DesiredText} from './desired-text.ts'
import {mergeLayers, type GuestLayer} from './guest-layer.ts'
import {maskSecrets} from './mask-secrets.ts'
import {MAX_MARKS} from '../yaml/check-text.ts'
import {MAX_GUESTS, readFile, type EarlierFiles} from './read-file.ts'
import type {WrittenGuest} from './read-guest.ts'
import {ValueCache} from './value-cache.ts'

export const MAX_TOTAL_BYTES = 64 << 20
/** Whoever has made a thousand mistakes has made one of them a thousand times. */
export const MAX_DIAGNOSTICS = 1000
/** In all files together, whatever is wrong: so many mistakes are nobody's slips. */
const MOST_GUESSES = 1000

/** Takes one text after the other; what they say together is known at the end. */
export class DesiredReader {
  readonly #files: string[] = []
  readonly #guests: WrittenGuest[] = []
  readonly #places = new Map<number, SourcePlace>()
  readonly #diagnostics: Diagnostic[] = []
  readonly #guess: Guess
  readonly #values: ValueCache
  #defaults: EarlierFiles['defaults'] = new Map()
  #mistakeCount = 0
  #guestCount = 0
  #bytes = 0
  #marks = 0

  constructor(guess = guessAtMost(MOST_GUESSES)) {
    this.#guess = guess
    this.#values = new ValueCache(guess)
  }

  add(text: DesiredText): void {
    this.#files.push(text.file)
    this.#bytes += text.bytes.byteLength
    if (this.#bytes > MAX_TOTAL_BYTES) {
      const message = `with this file there are more than ${MAX_TOTAL_BYTES} bytes to read`
      this.refuse({code: 'too_large', file: text.file, message})
      return
    }
    const found = readFile(text, {
      ...{guests: this.#places, defaults: this.#defaults, values: this.#values, guess: this.#guess},
      room: {
        marks: MAX_MARKS - this.#marks,
        guests: Math.max(0, MAX_GUESTS - this.#guestCount),
        diagnostics: MAX_DIAGNOSTICS - this.#diagnostics.length,
      },
    })
    this.#marks += found.marks
    this.#guestCount += found.guestCount
    this.#defaults = found.defaults
    for (const [vmid, place] of found.places) if (!this.#places.has(vmid)) this.#places.set(vmid, place)
    for (const guest of found.guests) this.#guests.push(guest)
    for (const diagnostic of found.diagnostics) this.refuse(diagnostic)
  }

  refuse(diagnostic: Diagnostic): void {
    this.#mistakeCount++
    if (this.#diagnostics.length < MAX_DIAGNOSTICS) this.#diagnostics.push(maskSecrets(diagnostic))
  }

  finish(): DesiredReading {
    const [files, guestCount, mistakeCount] = [this.#files, this.#guestCount, this.#mistakeCount]
    if (mistakeCount > 0) {
      return {valid: false, diagnostics: this.#diagnostics, mistakeCount, files, guestCount}
    }
    const guests = this.#guests
      .sort((a, b) => a.vmid - b.vmid)
      .map((guest) => completeGuest(guest, this.#defaults.get(guest.kind)?.layer))
    return {valid: true, state: {guests, files}}
  }
}

/** Defaults do not reach a guest that shall be absent, but for the way to stop it. */
function completeGuest(guest: WrittenGuest, defaults: GuestLayer | undefined): DesiredGuest {
  const {kind, vmid, ensure, nodes, create, place} = guest
  const {options, run, restart, stop} = mergeLayers(guest.layer, defaults)
  const base = {kind, vmid, ensure, ...(nodes && {nodes}), stop, place}
  if (ensure === 'absent') return {...base, options: new Map(), restart: 'never'}
  return {...base, options, ...(run !== undefined && {run}), restart, ...(create && {create})}
}

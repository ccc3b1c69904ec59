// The source of a simulated day: what it says is right most of the time, and at others late, broken, old, too small,
// empty or nothing at all. It remembers which of its answers deserve to be believed.
import type {DesiredState} from '../../src/lib/model/desired.ts'
import {readBundle} from '../../src/lib/source/read-bundle.ts'
import type {Bundle, CarriedEnvelope, Fetched, Seen, Source} from '../../src/lib/source/source.ts'
import type {ProcessLife} from './process-life.ts'
import type {Random} from './random.ts'
import {drawWish, writeWish, type Wish} from './daemon-wish.ts'
import type {World} from './world.ts'

export const MOODS = [
  'good',
  'slow',
  'away',
  'unusable',
  'broken',
  'rolled back',
  'shrunken',
  'empty',
  'flapping',
] as const
export type Mood = (typeof MOODS)[number]

const POISON = -1
const FLAPS: readonly Mood[] = ['good', 'away', 'broken', 'unusable', 'shrunken']

interface Revision {
  readonly serial: number
  readonly wish: Wish
  readonly bundle: Bundle
}

export class Hub {
  readonly #world: World
  readonly #random: Random
  mood: Mood = 'good'
  approvals: readonly CarriedEnvelope[] = []
  jobs: readonly CarriedEnvelope[] = []
  #current: Revision
  #before: Revision | undefined
  /** The last that a pass had reason to believe. */
  #good: Revision | undefined
  readonly #answered = new Map<ProcessLife, Revision | undefined>()

  constructor(world: World) {
    this.#world = world
    this.#random = world.random.stream('hub')
    this.#current = this.#revise(1, drawWish(world.scenario, 1, this.#random))
  }

  get wish(): Wish {
    return this.#current.wish
  }

  /** As somebody reads it who has the files at hand. */
  read(): DesiredState {
    const reading = readBundle(this.#current.bundle.texts, {kind: 'https', secretsDir: undefined})
    if (!reading.valid) throw new Error(`a wish that cannot be read: ${JSON.stringify(reading.diagnostics)}`)
    return reading.state
  }

  get good(): Wish | undefined {
    return this.#good?.wish
  }

  /** Whether what it says now is what the daemon should be using. */
  get isTaken(): boolean {
    return this.#good?.serial === this.#current.serial
  }

  /** Other wishes, drawn unless they are given; the same ones with other envelopes beside them. */
  publish(wish?: Wish): void {
    const serial = this.#current.serial + 1
    this.#before = this.#current
    this.#current = this.#revise(serial, wish ?? drawWish(this.#world.scenario, serial, this.#random))
    this.#world.oracle.count('source published')
    this.#world.trace(() => `  hub: revision ${serial}`)
  }

  #revise(serial: number, wish: Wish): Revision {
    const {approvals, jobs} = this
    return {serial, wish, bundle: {...bundleOf(`r${serial}`, writeWish(wish), serial), approvals, jobs}}
  }

  forProcess(life: ProcessLife): Source {
    return {
      kind: 'https',
      place: 'https://hub.example/guests',
      fetch: (seen) => life.step('fetch', () => this.#fetch(life, seen)),
    }
  }

  /** Called under the lock, right before the answer of this pass is judged. */
  settles(life: ProcessLife): void {
    const answered = this.#answered.get(life)
    this.#answered.delete(life)
    if (answered && answered.serial > (this.#good?.serial ?? 0)) this.#good = answered
  }

  /** A process that died between the answer and its judging never comes back for it. */
  forgetDead(): void {
    for (const life of this.#answered.keys()) if (!life.isAlive) this.#answered.delete(life)
  }

  async #fetch(life: ProcessLife, seen: Seen | undefined): Promise<Fetched> {
    const mood = this.mood === 'flapping' ? this.#random.pick(FLAPS) : this.mood
    this.#world.oracle.count(`source ${mood}`)
    if (mood === 'slow') await this.#world.clock.sleep(this.#random.between(1_000, 40_000))
    const isGood = mood === 'good' || mood === 'slow'
    this.#answered.set(life, isGood ? this.#current : undefined)
    return this.#say(mood, seen)
  }

  #say(mood: Mood, seen: Seen | undefined): Fetched {
    const {wish, bundle} = this.#current
    switch (mood) {
      case 'away':
        return {kind: 'away', problem: 'no answer'}
      case 'unusable':
        return {kind: 'unusable', problem: 'it was cut short'}
      case 'broken':
        return {
          kind: 'bundle',
          bundle: bundleOf('broken', `${writeWish(poisoned(wish))}  x: {kind: toaster}\n`),
        }
      case 'rolled back':
        if (!this.#before || seen?.serial === undefined) return {kind: 'away', problem: 'no answer'}
        return {kind: 'bundle', bundle: this.#before.bundle, older: 'its serial is smaller'}
      case 'shrunken':
        return {kind: 'bundle', bundle: bundleOf('shrunken', writeWish(withoutFirst(poisoned(wish))))}
      case 'empty':
        return {kind: 'bundle', bundle: bundleOf('empty', writeWish({serial: POISON, guests: []}))}
      default:
        return seen?.revision === bundle.revision ? {kind: 'unchanged'} : {kind: 'bundle', bundle}
    }
  }
}

const bundleOf = (revision: string, yaml: string, serial?: number): Bundle => ({
  revision,
  ...(serial !== undefined && {serial}),
  texts: [{file: 'guests.yaml', dir: '', bytes: Buffer.from(yaml)}],
  approvals: [],
  jobs: [],
})

/** What nobody wants: to be recognised wherever it turns up. */
const poisoned = ({guests}: Wish): Wish => renumber({serial: POISON, guests}, POISON)

const withoutFirst = ({serial, guests}: Wish): Wish => ({serial, guests: guests.slice(1)})

const renumber = ({guests}: Wish, serial: number): Wish => ({
  serial,
  guests: guests.map((guest) =>
    guest.isAbsent ? guest : {...guest, config: {...guest.config, description: `serial ${serial}`}},
  ),
})

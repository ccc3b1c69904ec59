// What goes wrong, drawn from the seed. Each seed has some kinds of trouble and not others, so that rare pairs get
// their time; each kind draws from its own stream.
import type {Random} from './random.ts'
import type {DiskFaults} from './sim-disk.ts'
import type {Exchange} from './sim-network.ts'

export const TROUBLES = [
  'crash',
  'power loss',
  'disk full',
  'write error',
  'sync error',
  'short write',
  'read fault',
  'write fault',
  'late effect',
  'Proxmox loses power',
  'task killed',
  'task lost',
  'node offline',
  'quorum lost',
  'others change config',
  'others start and stop',
  'others lock',
  'others create anew',
  'clock jumps',
  'second instance',
  'old state restored',
  'bit flipped',
  'list filtered',
  'slow tasks',
  'guest hangs',
  'start fails',
  'config lock held',
] as const

export type Trouble = (typeof TROUBLES)[number]

/** How probable it is that a seed has this kind; others: COMMON. */
const RARITY: Partial<Record<Trouble, number>> = {
  crash: 0.6,
  'write fault': 0.5,
  'late effect': 0.3,
  'slow tasks': 0.4,
  'short write': 0.5,
  'bit flipped': 0.04,
  'old state restored': 0.12,
  'clock jumps': 0.15,
  'list filtered': 0.12,
}
const COMMON = 0.22

/** What the simulation asks for at each point where something can go wrong. */
export interface Weather {
  readonly disk: DiskFaults
  dies(moment: 'before' | 'after', step: string): boolean
  /** Whether a process that dies takes its whole machine with it. */
  losesPower(): boolean
  drawRead(): Exchange
  drawWrite(): Exchange
}

export const calmWeather: Weather = {
  disk: {onWrite: (length) => ({written: length}), onSync: () => undefined},
  dies: () => false,
  losesPower: () => false,
  drawRead: () => ({kind: 'fine'}),
  drawWrite: () => ({kind: 'fine'}),
}

const STATUSES = [500, 503, 596, 597, 599]
/** With ten seconds more for the lock on a config it is less than what recovery waits. */
const MAX_LATE_MS = 33_000
const IS_DURABLE_STEP = /^(?:datasync|PUT|POST|DELETE|rename|syncDirectory|truncate)/

export class StormyWeather implements Weather {
  readonly troubles: ReadonlySet<Trouble>
  readonly #random: Random
  readonly #streams = new Map<string, Random>()
  #crashRate: number
  isOver = false
  isDiskFull = false

  constructor(random: Random, without: ReadonlySet<Trouble> = new Set()) {
    this.#random = random
    const choice = random.stream('troubles')
    const isFair = choice.chance(0.05)
    const drawn = TROUBLES.filter((trouble) => choice.chance(RARITY[trouble] ?? COMMON) && !isFair)
    this.troubles = new Set(drawn.filter((trouble) => !without.has(trouble)))
    this.#crashRate = choice.pick([0.002, 0.006, 0.02])
  }

  has(trouble: Trouble): boolean {
    return !this.isOver && this.troubles.has(trouble)
  }

  stream(name: string): Random {
    let stream = this.#streams.get(name)
    if (!stream) {
      stream = this.#random.stream(name)
      this.#streams.set(name, stream)
    }
    return stream
  }

  readonly disk: DiskFaults = {
    onWrite: (length) => {
      if (this.isDiskFull && !this.isOver)
        return {written: this.stream('disk full').below(length + 1), error: 'ENOSPC'}
      if (this.#strikes('write error', 0.02))
        return {written: this.stream('torn').below(length + 1), error: 'EIO'}
      if (this.#strikes('short write', 0.3)) return {written: this.stream('short').between(1, length)}
      return {written: length}
    },
    onSync: () => (this.#strikes('sync error', 0.03) ? 'EIO' : undefined),
  }

  dies(_moment: 'before' | 'after', step: string): boolean {
    const rate = IS_DURABLE_STEP.test(step) ? this.#crashRate * 6 : this.#crashRate
    return this.#strikes('crash', rate)
  }

  losesPower(): boolean {
    return this.#strikes('power loss', 0.5)
  }

  drawRead(): Exchange {
    if (!this.#strikes('read fault', 0.04)) return {kind: 'fine'}
    const random = this.stream('read')
    const kind = random.pick(['refused', 'reset', 'cut', 'status', 'status', 'timeout'] as const)
    if (kind === 'refused') return {kind}
    return {kind, effect: 'before', status: random.pick(STATUSES)}
  }

  drawWrite(): Exchange {
    if (this.#strikes('late effect', 0.12)) return this.#drawLate()
    if (!this.#strikes('write fault', 0.2)) return this.#drawFine()
    const random = this.stream('write')
    const kind = random.pick(['refused', 'reset', 'cut', 'status', 'timeout'] as const)
    if (kind === 'refused') return {kind}
    return {kind, effect: random.chance(0.5) ? 'before' : 'none', status: random.pick(STATUSES)}
  }

  #drawLate(): Exchange {
    const random = this.stream('late')
    const kind = random.pick(['reset', 'status', 'cut'] as const)
    return {kind, status: 596, effect: 'late', lateMs: random.between(1, MAX_LATE_MS)}
  }

  #drawFine(): Exchange {
    return this.#strikes('write fault', 0.1)
      ? {kind: 'fine', answerMs: this.stream('write').between(1_000, 50_000)}
      : {kind: 'fine'}
  }

  #strikes(trouble: Trouble, probability: number): boolean {
    return this.has(trouble) && this.stream(trouble).chance(probability)
  }
}

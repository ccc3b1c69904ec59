// One life of felhom on one small cluster, from a seed: some rounds in bad weather, then calm, in which everything
// must come to rest. The same seed lives the same life.
import {FelhomError} from '../../src/lib/model/felhom-error.ts'
import type {OperationBody} from '../../src/lib/model/operation.ts'
import type {PlannedAction} from '../../src/lib/model/plan.ts'
import {applyPass, openStore, type PassResult} from './apply-pass.ts'
import {clearUp, unfold} from './events.ts'
import type {OracleMemory, Violation} from './oracle.ts'
import type {Policy} from './policies.ts'
import type {ProcessLife} from './process-life.ts'
import {Random} from './random.ts'
import {drawScenario} from './scenario.ts'
import type {SimDisk} from './sim-disk.ts'
import {calmWeather, StormyWeather, type Trouble} from './weather.ts'
import {World} from './world.ts'

export interface LifeOptions {
  readonly seed: number
  readonly policy?: Policy
  /** Kinds of trouble that this life is spared, to find which of them matter. */
  readonly without?: ReadonlySet<Trouble>
  readonly trace?: (text: string) => void
}

export interface LifeResult {
  readonly seed: number
  readonly violations: readonly Violation[]
  readonly troubles: readonly Trouble[]
  readonly counts: ReadonlyMap<string, number>
}

export async function runLife({seed, policy, without, trace}: LifeOptions): Promise<LifeResult> {
  const random = new Random(seed)
  const scenario = drawScenario(random.stream('scenario'))
  const weather = new StormyWeather(random.stream('weather'), without)
  const world = new World({random, scenario, weather, ...(policy && {policy}), ...(trace && {trace})})
  const life = new Life(world, weather)
  await world.clock.run(life.live())
  return {
    seed,
    violations: world.oracle.violations,
    troubles: [...weather.troubles],
    counts: world.oracle.counts,
  }
}

/** Errors with which a process may honestly end. */
const HONEST = new Set([
  'journal_failed',
  'unreachable',
  'connection_lost',
  'timeout',
  'bad_answer',
  'gateway_failed',
  'gateway_timeout',
  'node_unreachable',
  'proxmox_error',
  'no_quorum',
  'forbidden',
])

interface Backup {
  readonly files: ReturnType<SimDisk['copy']>
  readonly memory: OracleMemory
}

class Life {
  readonly #world: World
  readonly #weather: StormyWeather
  readonly #random: Random
  readonly #instances = new Set<Promise<unknown>>()
  #backup: Backup | undefined

  constructor(world: World, weather: StormyWeather) {
    this.#world = world
    this.#weather = weather
    this.#random = world.random.stream('life')
  }

  async live(): Promise<void> {
    const world = this.#world
    await this.#storm()
    if (this.#isOver()) return
    world.weather = calmWeather
    clearUp(world)
    await this.#letTasksEnd()
    await this.#comeToRest()
  }

  async #storm(): Promise<void> {
    const world = this.#world
    const random = this.#random
    const startInstance = (): void => {
      this.#track(this.#runProcess(1))
    }
    void unfold({world, weather: this.#weather, random: world.random.stream('events'), startInstance})
    for (let round = random.between(2, 5); round > 0 && !this.#isOver(); round--) {
      if (random.chance(0.7)) world.changeMind()
      if (world.isDisarmed && random.chance(0.3)) world.rearm()
      world.taskTimeoutMs = random.pick([5_000, 60_000, 600_000])
      await this.#runProcess(random.between(1, 2))
      await Promise.all(this.#instances)
      await this.#handleState()
      await world.clock.sleep(random.pick([100, 5_000, 50_000, 400_000]))
    }
    this.#weather.isOver = true
    await Promise.all(this.#instances)
  }

  #isOver(): boolean {
    return this.#world.oracle.violations.length > 0 || this.#world.isJournalDamaged
  }

  #track(work: Promise<unknown>): void {
    this.#instances.add(work)
    void work.finally(() => this.#instances.delete(work))
  }

  /** One process, that makes some passes; resolves when it has ended, however. */
  async #runProcess(passes: number): Promise<PassResult | undefined> {
    const world = this.#world
    const life = world.newProcess()
    world.trace(() => `  felhom ${String(life.id)}: begins`)
    world.oracle.count('process')
    const died = life.died.then((cause) => {
      world.oracle.count(cause)
      return undefined
    })
    const result = await Promise.race([this.#work(life, passes), died])
    world.processEnds(life)
    return result
  }

  async #work(life: ProcessLife, passes: number): Promise<PassResult | undefined> {
    const world = this.#world
    let result: PassResult | undefined
    try {
      for (let pass = 0; pass < passes; pass++) {
        if (pass > 0) await life.step('pause', () => world.clock.sleep(30_000))
        result = await applyPass(world, life)
        world.oracle.count('pass')
      }
    } catch (error) {
      this.#judgeEnd(error)
      return undefined
    }
    return result
  }

  #judgeEnd(error: unknown): void {
    const world = this.#world
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    world.trace(() => `  felhom ends: ${text}`)
    const code = error instanceof FelhomError ? error.code : 'none'
    world.oracle.count(`error ${code}`)
    if (HONEST.has(code) && !(code === 'journal_failed' && world.weather === calmWeather)) return
    if (code === 'journal_corrupt' && (world.isJournalDamaged || world.mayLookDamaged)) {
      world.isJournalDamaged = true
      return
    }
    world.oracle.violate(code === 'journal_corrupt' ? 'G2' : 'bug', text)
  }

  /** Between two processes: the state directory is saved, put back from a backup, or damaged. */
  async #handleState(): Promise<void> {
    const world = this.#world
    const {disk, oracle} = world
    if (this.#weather.has('old state restored')) {
      if (this.#backup && this.#random.chance(0.5)) {
        world.trace(() => '  operator: puts an old state directory back')
        oracle.count('state restored')
        disk.restore(this.#backup.files)
        oracle.recall(this.#backup.memory)
        oracle.noteStrangers()
        this.#backup = undefined
      } else if (!this.#backup && disk.files().length > 0) {
        this.#backup = {files: disk.copy(), memory: oracle.remember()}
      }
    }
    if (this.#weather.has('bit flipped') && this.#random.chance(0.5)) await this.#damage()
  }

  /** Either the journal says that it is damaged, or nothing that was acknowledged is missing. */
  async #damage(): Promise<void> {
    const world = this.#world
    const path = world.disk.flipBit(this.#random)
    if (path === undefined) return
    world.isJournalDamaged = true
    world.oracle.count('bit flipped')
    world.trace(() => `  felhom: a bit of ${path} flips`)
    world.weather = calmWeather
    const life = world.newProcess()
    try {
      const store = await openStore(world, life)
      await store.close()
    } catch (error) {
      this.#judgeEnd(error)
    }
  }

  async #letTasksEnd(): Promise<void> {
    const {clock, proxmox} = this.#world
    await clock.sleep(60_000)
    for (let i = 0; i < 60 && proxmox.runningTasks().length > 0; i++) await clock.sleep(60_000)
  }

  /** Nothing goes wrong any more: what is open must end, and what is desired must come to be. */
  async #comeToRest(): Promise<void> {
    const world = this.#world
    world.taskTimeoutMs = 600_000
    let last: PassResult | undefined
    for (let pass = 0; pass < MOST_PASSES; pass++) {
      if (world.isDisarmed) world.rearm()
      this.#signAgain()
      last = await this.#runProcess(1)
      if (this.#isOver() || (last && this.#unrest(last).length === 0)) break
      await world.clock.sleep(11 * 60_000)
    }
    if (this.#isOver()) return
    const unrest = last ? this.#unrest(last) : ['no pass came to its end']
    if (unrest.length > 0) world.oracle.violate('G4', unrest.join('; '))
  }

  /** A signature that was used up, or is for the guest that was there before, is given anew. */
  #signAgain(): void {
    const world = this.#world
    for (const {vmid, ensure} of world.desired.guests) {
      if (ensure === 'absent' && world.jobs.has(vmid)) world.sign(vmid)
    }
  }

  /** What is neither done nor told to be impossible. */
  #unrest({plan}: PassResult): string[] {
    const open = this.#world.oracle.open()
    // The task of a copy bears the number of its source, which is frozen as well.
    const frozen = new Set(open.flatMap(({intent}) => [intent.target.vmid, ...sourceOf(intent.body)]))
    return [
      ...open
        .filter(({state}) => state !== 'quarantined')
        .map(({intent, state}) => `${intent.op} (${intent.body.type}) is still ${state}`),
      ...plan.guests
        .filter(({vmid, actions}) => ![vmid, ...actions.flatMap(sourceOf)].some((id) => frozen.has(id)))
        .flatMap(({vmid, actions}) =>
          actions
            .filter(({blockers}) => blockers.length === 0)
            .map(({type, why}) => `${String(vmid)} still needs ${type}: ${why}`),
        ),
    ]
  }
}

const MOST_PASSES = 8

const sourceOf = (body: OperationBody | PlannedAction): number[] =>
  body.type === 'create' && 'clone' in body.from ? [body.from.clone] : []

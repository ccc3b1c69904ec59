// One life of felhom on one small cluster, from a seed: some rounds in bad weather, then calm, in which everything
// must come to rest. The same seed lives the same life.
import {openStore} from './apply-pass.ts'
import {comeToRest} from './come-to-rest.ts'
import {unfold} from './events.ts'
import type {OracleMemory, Violation} from './oracle.ts'
import type {Policy} from './policies.ts'
import {Random} from './random.ts'
import {judgeEnd, runProcess} from './run-process.ts'
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
  /** What happened, and how often. */
  readonly counts: ReadonlyMap<string, number>
}

export async function runLife({seed, policy, without, trace}: LifeOptions): Promise<LifeResult> {
  const random = new Random(seed)
  const scenario = drawScenario(random.stream('scenario'))
  const weather = new StormyWeather(random.stream('weather'), without)
  const world = new World({random, scenario, weather, ...(policy && {policy}), ...(trace && {trace})})
  const life = new Life(world, weather)
  await world.clock.run(life.live())
  const {violations, counts} = world.oracle
  return {seed, violations, troubles: [...weather.troubles], counts}
}

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
    await this.#storm()
    if (!this.#world.isOver) await comeToRest(this.#world)
  }

  async #storm(): Promise<void> {
    const world = this.#world
    const random = this.#random
    const startInstance = (): void => {
      const instance = runProcess(world, 1)
      this.#instances.add(instance)
      void instance.finally(() => this.#instances.delete(instance))
    }
    void unfold({world, weather: this.#weather, random: world.random.stream('events'), startInstance})
    for (let round = random.between(2, 5); round > 0 && !world.isOver; round--) {
      if (random.chance(0.7)) world.changeMind()
      if (world.isDisarmed && random.chance(0.3)) world.rearm()
      world.taskTimeoutMs = random.pick([5_000, 60_000, 600_000])
      await runProcess(world, random.between(1, 2))
      await Promise.all(this.#instances)
      await this.#handleState()
      await world.clock.sleep(random.pick([100, 5_000, 50_000, 400_000]))
    }
    this.#weather.isOver = true
    await Promise.all(this.#instances)
  }

  /** Between two processes: the state directory is saved, put back from a backup, or damaged. */
  async #handleState(): Promise<void> {
    const {disk, oracle} = this.#world
    if (this.#weather.has('old state restored')) {
      if (this.#backup && this.#random.chance(0.5)) this.#restore(this.#backup)
      else if (!this.#backup && disk.files().some(([path]) => path.endsWith('.log')))
        this.#backup = {files: disk.copy(), memory: oracle.remember()}
    }
    if (this.#weather.has('bit flipped') && this.#random.chance(0.5)) await this.#damage()
  }

  #restore({files, memory}: Backup): void {
    const {disk, oracle} = this.#world
    this.#world.trace(() => '  operator: puts an old state directory back')
    oracle.count('old state restored')
    disk.restore(files)
    oracle.recall(memory)
    oracle.noteStrangers()
    this.#world.mayBeDisarmed = true
    this.#backup = undefined
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
    await world.lock.acquire(life, 0)
    try {
      const store = await openStore(world, life)
      await store.close()
    } catch (error) {
      judgeEnd(world, error)
    }
    world.processEnds(life)
  }
}

// One felhom process, from its start to its end or its death. Everything it asks of the world passes `step`;
// once it is dead nothing that it awaits ever comes back, so no line of it runs any more.

export type Death = 'crash' | 'power loss'

export type Boundary = (moment: 'before' | 'after', step: string) => boolean

/** Thrown into code that is dead and cannot be left waiting, because it asked without awaiting. */
export class DeadProcess extends Error {}

export class ProcessLife {
  readonly id: number
  readonly died: Promise<Death>
  readonly #dies: Boundary
  #die: (cause: Death) => void = () => undefined
  #alive = true

  /** `dies` is asked at every boundary whether the process ends there. */
  constructor(id: number, dies: Boundary = () => false) {
    this.id = id
    this.#dies = dies
    this.died = new Promise((resolve) => {
      this.#die = resolve
    })
  }

  get isAlive(): boolean {
    return this.#alive
  }

  kill(cause: Death): void {
    this.#alive = false
    this.#die(cause)
  }

  step<T>(name: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#endsAt('before', name)) return
      work().then(
        (value) => {
          if (!this.#endsAt('after', name)) resolve(value)
        },
        (error: unknown) => {
          if (!this.#endsAt('after', name)) reject(error instanceof Error ? error : new Error(String(error)))
        },
      )
    })
  }

  assertAlive(): void {
    if (!this.#alive) throw new DeadProcess('this process is dead')
  }

  #endsAt(moment: 'before' | 'after', name: string): boolean {
    if (this.#alive && this.#dies(moment, name)) this.kill('crash')
    return !this.#alive
  }
}

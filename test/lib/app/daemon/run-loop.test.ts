import {expect} from 'chai'
import {runLoop, type LoopEnd, type LoopWorld} from '../../../../src/lib/app/daemon/run-loop.ts'
import {WakeUp} from '../../../../src/lib/app/daemon/wake-up.ts'
import type {PassReport} from '../../../../src/lib/model/daemon.ts'
import type {ErrorCode} from '../../../../src/lib/model/error-codes.ts'
import {VirtualClock} from '../../../../src/lib/sandbox/clock.ts'

const SECOND_MS = 1000

class LoopBench {
  readonly clock = new VirtualClock()
  readonly startMs = this.clock.now()
  readonly stop = new AbortController()
  readonly wakeUp = new WakeUp()
  /** Seconds at which passes began, and what else happened. */
  readonly seen: string[] = []
  progress = 0
  random = 0.5
  intervalMs = 60 * SECOND_MS
  stopTimeoutMs = 30 * SECOND_MS
  pass: (pass: number) => Promise<Partial<PassReport> | undefined> = () => Promise.resolve(undefined)

  note(text: string): void {
    this.seen.push(`${(this.clock.now() - this.startMs) / SECOND_MS} ${text}`)
  }

  run(change: Partial<LoopWorld> = {}): Promise<LoopEnd> {
    return this.clock.run(
      runLoop({
        clock: this.clock,
        random: () => this.random,
        makePass: async (pass) => {
          this.note(`pass ${pass}`)
          const report = await this.pass(pass)
          return {pass, results: [], ...report} as unknown as PassReport
        },
        pace: () => ({intervalMs: this.intervalMs, jitter: 0.1, stopTimeoutMs: this.stopTimeoutMs}),
        reload: () => {
          this.note('reload')
          return Promise.resolve()
        },
        ended: () => undefined,
        progress: () => this.progress++,
        once: false,
        wakeUp: this.wakeUp,
        stop: this.stop.signal,
        ...change,
      }),
    )
  }

  stopAfter(passes: number): void {
    const before = this.pass
    this.pass = (pass) => {
      if (pass === passes) this.stop.abort('SIGTERM')
      return before(pass)
    }
  }
}

const failing = (code: ErrorCode): Partial<PassReport> => ({problem: {code, message: 'it failed'}})

describe("the daemon's loop", () => {
  it('makes a pass at once and then on every interval', async () => {
    const bench = new LoopBench()
    bench.stopAfter(3)
    expect(await bench.run()).to.deep.include({reason: 'stopped', isDrained: true})
    expect(bench.seen).to.deep.equal(['0 pass 1', '60 pass 2', '120 pass 3'])
  })

  it('counts the interval from the beginning of a pass, and never makes two at once', async () => {
    const bench = new LoopBench()
    let running = 0
    bench.pass = async (pass) => {
      expect(running++).to.equal(0)
      await bench.clock.sleep(pass === 1 ? 20 * SECOND_MS : 100 * SECOND_MS)
      running--
      return undefined
    }
    bench.stopTimeoutMs = 500 * SECOND_MS
    bench.stopAfter(3)
    await bench.run()
    expect(bench.seen).to.deep.equal(['0 pass 1', '60 pass 2', '161 pass 3'])
  })

  it('lengthens and shortens each pause by its jitter', async () => {
    for (const [random, second] of [
      [0, 54],
      [1, 66],
    ] as const) {
      const bench = new LoopBench()
      bench.random = random
      bench.stopAfter(2)
      await bench.run()
      expect(bench.seen.at(-1)).to.equal(`${second} pass 2`)
    }
  })

  it('takes a breath after each pass, however short the interval and however large its jitter', async () => {
    for (const [intervalMs, jitter] of [
      [5, 0.1],
      [60 * SECOND_MS, 1],
    ] as const) {
      const bench = new LoopBench()
      bench.random = 0
      bench.stopAfter(3)
      await bench.run({pace: () => ({intervalMs, jitter, stopTimeoutMs: SECOND_MS})})
      expect(bench.seen).to.deep.equal(['0 pass 1', '1 pass 2', '2 pass 3'])
    }
  })

  it('goes on after a pass that failed', async () => {
    const bench = new LoopBench()
    bench.pass = () => Promise.resolve(failing('unreachable'))
    bench.stopAfter(3)
    await bench.run()
    expect(bench.seen).to.have.length(3)
  })

  it('ends when its journal is broken: nobody could say any more what was done', async () => {
    for (const code of ['journal_corrupt', 'journal_failed', 'journal_mismatch', 'state_unsafe'] as const) {
      const bench = new LoopBench()
      bench.pass = () => Promise.resolve(failing(code))
      const end = await bench.run()
      expect(end.reason).to.equal('broken')
      expect(bench.seen).to.have.length(1)
    }
  })

  it('makes one pass alone where it is asked for one', async () => {
    const bench = new LoopBench()
    expect((await bench.run({once: true})).reason).to.equal('once')
    expect(bench.seen).to.deep.equal(['0 pass 1'])
  })

  it('reads the settings again and makes a pass at once when it is woken', async () => {
    const bench = new LoopBench()
    bench.stopAfter(2)
    const end = bench.run()
    void bench.clock.sleep(10 * SECOND_MS).then(() => bench.wakeUp.ring())
    await end
    expect(bench.seen).to.deep.equal(['0 pass 1', '10 reload', '10 pass 2'])
  })

  it('does not forget that it was woken during a pass', async () => {
    const bench = new LoopBench()
    bench.pass = (pass) => {
      if (pass === 1) bench.wakeUp.ring()
      return Promise.resolve(undefined)
    }
    bench.stopAfter(2)
    await bench.run()
    expect(bench.seen).to.deep.equal(['0 pass 1', '0 reload', '0 pass 2'])
  })

  it('ends at once when it is told to while it waits', async () => {
    const bench = new LoopBench()
    const end = bench.run()
    void bench.clock.sleep(10 * SECOND_MS).then(() => bench.stop.abort('SIGTERM'))
    expect(await end).to.deep.include({reason: 'stopped', isDrained: true})
    expect((bench.clock.now() - bench.startMs) / SECOND_MS).to.equal(10)
  })

  it('waits for the tasks of a pass when it is told to end, and leaves them when they take too long', async () => {
    for (const [taskMs, isDrained] of [
      [20 * SECOND_MS, true],
      [40 * SECOND_MS, false],
    ] as const) {
      const bench = new LoopBench()
      bench.pass = async () => {
        bench.stop.abort('SIGTERM')
        await bench.clock.sleep(taskMs)
        return undefined
      }
      expect(await bench.run()).to.deep.include({reason: 'stopped', isDrained})
    }
  })

  it('shows that it is alive while it waits, for a watchdog that is fed by nothing else', async () => {
    const bench = new LoopBench()
    bench.stopAfter(2)
    await bench.run()
    expect(bench.progress).to.be.greaterThan(10)
  })
})

import {expect} from 'chai'
import type {TaskReader} from '../../../src/lib/engine/ports.ts'
import {TaskWatcher, type Awaited} from '../../../src/lib/engine/watch-tasks.ts'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {taskVerdict, type TaskStatus} from '../../../src/lib/model/task.ts'
import {parseUpid, type Upid} from '../../../src/lib/model/upid.ts'
import {VirtualClock} from '../../../src/lib/sandbox/clock.ts'

type Reader = Pick<TaskReader, 'taskStatus' | 'listTasks'>

/** Tasks that end when they are due, and a count of every question about them. */
class Tasks implements Reader {
  readonly clock = new VirtualClock()
  readonly questions: {what: 'list' | 'status'; atMs: number}[] = []
  /** Throws for a question while it returns true. */
  fails: () => boolean = () => false
  /** As if the daemon that forked them had been replaced: they stay in the list. */
  isListStuck = false
  lost = new Set<string>()
  readonly #ends = new Map<string, number>()
  #pid = 0

  begin(durationMs: number, node = 'pve1'): Upid {
    const pid = (++this.#pid).toString(16).toUpperCase().padStart(8, '0')
    const upid = parseUpid(`UPID:${node}:${pid}:00000001:6B49D200:vzstart:101:root@pam!felhom:`)
    this.#ends.set(upid.text, this.clock.now() + durationMs)
    return upid
  }

  endOf(upid: Upid): number {
    return this.#ends.get(upid.text) ?? 0
  }

  async taskStatus(upid: Upid): Promise<TaskStatus> {
    await this.#ask('status')
    if (this.lost.has(upid.text)) return {state: 'lost'}
    if (this.endOf(upid) > this.clock.now()) return {state: 'running'}
    return {state: 'stopped', exit: 'OK', verdict: taskVerdict('OK')}
  }

  async listTasks(node: string): ReturnType<Reader['listTasks']> {
    await this.#ask('list')
    return [...this.#ends]
      .filter(([text, end]) => text.includes(`:${node}:`) && (this.isListStuck || end > this.clock.now()))
      .map(([text]) => ({upid: parseUpid(text), status: {state: 'running'}, endtime: undefined}))
  }

  async #ask(what: 'list' | 'status'): Promise<void> {
    this.questions.push({what, atMs: this.clock.now()})
    await this.clock.sleep(2)
    if (this.fails()) throw new FelhomError('gateway_timeout', 'no answer')
  }
}

const HOUR_MS = 3_600_000

describe('watching tasks', () => {
  it('asks for a single task by its own status, seldom when it is old', async () => {
    const tasks = new Tasks()
    const status = await tasks.clock.run(
      new TaskWatcher(tasks, tasks.clock).wait(tasks.begin(60_000), HOUR_MS),
    )
    expect(status).to.deep.equal({state: 'stopped', exit: 'OK', verdict: 'ok'})
    expect(tasks.questions.every(({what}) => what === 'status')).to.equal(true)
    expect(tasks.questions.length).to.be.below(75)
  })

  it('notices the end of a short task within a tenth of a second', async () => {
    const tasks = new Tasks()
    const upid = tasks.begin(350)
    await tasks.clock.run(new TaskWatcher(tasks, tasks.clock).wait(upid, HOUR_MS))
    expect(tasks.clock.now() - tasks.endOf(upid)).to.be.at.most(110)
  })

  it('notices the end of a longer one within a tenth of its age', async () => {
    const tasks = new Tasks()
    const upid = tasks.begin(5_000)
    await tasks.clock.run(new TaskWatcher(tasks, tasks.clock).wait(upid, HOUR_MS))
    expect(tasks.clock.now() - tasks.endOf(upid)).to.be.at.most(510)
  })

  it('notices the end of a short task although an old one is there', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const old = watcher.wait(tasks.begin(100_000), HOUR_MS)
    await tasks.clock.advance(60_100)
    const upid = tasks.begin(300)
    await tasks.clock.run(watcher.wait(upid, HOUR_MS))
    expect(tasks.clock.now() - tasks.endOf(upid)).to.be.at.most(110)
    await tasks.clock.run(old)
  })

  it('watches ten at a time with few questions and little delay', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const delays: number[] = []
    const startMs = tasks.clock.now()
    let left = 300
    // Between half a second and five, as starting and stopping takes; the next begins when one has ended.
    const lane = async (): Promise<void> => {
      while (left > 0) {
        const upid = tasks.begin(500 + ((left-- * 7919) % 4500))
        await watcher.wait(upid, HOUR_MS)
        delays.push(tasks.clock.now() - tasks.endOf(upid))
      }
    }
    await tasks.clock.run(Promise.all(Array.from({length: 10}, lane)))
    const seconds = (tasks.clock.now() - startMs) / 1000
    const lists = tasks.questions.filter(({what}) => what === 'list').length
    const mean = delays.reduce((sum, ms) => sum + ms, 0) / delays.length
    expect(delays).to.have.length.at.least(300)
    expect(mean).to.be.at.most(165)
    expect(lists / seconds).to.be.at.most(10)
    // Beyond the list: one verdict each, and now and then a look at an old one.
    expect(tasks.questions.length - lists).to.be.below(delays.length * 2)
  })

  it('never asks more than ten times a second, however many begin', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const begin = async (i: number): Promise<void> => {
      await tasks.clock.sleep(i * 30)
      await watcher.wait(tasks.begin(4_000), HOUR_MS)
    }
    await tasks.clock.run(Promise.all(Array.from({length: 60}, (_, i) => begin(i))))
    const lists = tasks.questions.filter(({what}) => what === 'list').map(({atMs}) => atMs)
    for (const [i, atMs] of lists.entries()) {
      const tenth = lists[i + 10]
      if (tenth !== undefined) expect(tenth - atMs).to.be.at.least(1_000)
    }
  })

  it('does not let new tasks put off the look at old ones', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const upid = tasks.begin(1_000)
    const first = watcher.wait(upid, HOUR_MS).then(() => tasks.clock.now())
    const others = Promise.all(
      Array.from({length: 100}, async (_, i) => {
        await tasks.clock.sleep(i * 50)
        await watcher.wait(tasks.begin(10_000), HOUR_MS)
      }),
    )
    await tasks.clock.run(Promise.all([first, others]))
    expect((await first) - tasks.endOf(upid)).to.be.at.most(250)
  })

  it('finds the end of a task that stays in the list', async () => {
    const tasks = new Tasks()
    tasks.isListStuck = true
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const [a, b] = [tasks.begin(1_000), tasks.begin(2_000)]
    await tasks.clock.run(Promise.all([watcher.wait(a, HOUR_MS), watcher.wait(b, HOUR_MS)]))
    expect(tasks.clock.now() - tasks.endOf(b)).to.be.at.most(6_000)
  })

  it('asks again, with pauses, when questions fail, and never gives up on a task', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const startMs = tasks.clock.now()
    tasks.fails = () => tasks.clock.now() - startMs < 120_000
    const waits = [tasks.begin(1_000), tasks.begin(2_000)].map((upid) => watcher.wait(upid, HOUR_MS))
    const all = await tasks.clock.run(Promise.all(waits))
    expect(all.map(({state}) => state)).to.deep.equal(['stopped', 'stopped'])
    const failed = tasks.questions.filter(({atMs}) => atMs - startMs < 120_000).length
    expect(failed).to.be.within(10, 30)
  })

  it('goes on asking, and not too often, when the clock is put back meanwhile', async () => {
    for (const isListStuck of [false, true]) {
      const tasks = new Tasks()
      tasks.isListStuck = isListStuck
      let aheadMs = 0
      const {clock} = tasks
      const watcher = new TaskWatcher(tasks, {
        now: () => clock.now() + aheadMs,
        sleep: (ms, signal) => clock.sleep(ms, signal),
      })
      const upids = [tasks.begin(60_000), tasks.begin(90_000)]
      const waits = Promise.all(upids.map((upid) => watcher.wait(upid, HOUR_MS)))
      await clock.advance(10_000)
      aheadMs = -HOUR_MS
      await clock.run(waits)
      expect(clock.now() - Math.max(...upids.map((upid) => tasks.endOf(upid)))).to.be.at.most(6_000)
      expect(tasks.questions.length).to.be.below(150)
    }
  })

  it('notices the end of a task that begins right after the clock was put back', async () => {
    const tasks = new Tasks()
    const {clock} = tasks
    let aheadMs = 0
    const sleep = (ms: number, signal?: AbortSignal): Promise<void> => clock.sleep(ms, signal)
    const watcher = new TaskWatcher(tasks, {now: () => clock.now() + aheadMs, sleep})
    const old = watcher.wait(tasks.begin(20_000), HOUR_MS)
    await clock.advance(10_000)
    aheadMs = -HOUR_MS
    const upid = tasks.begin(1_000)
    await clock.run(Promise.all([old, watcher.wait(upid, 2 * HOUR_MS)]))
    expect(clock.now() - tasks.endOf(upid)).to.be.at.most(25_000)
  })

  it('says of a task that Proxmox no longer knows that it is lost', async () => {
    const tasks = new Tasks()
    const upid = tasks.begin(1_000)
    tasks.lost.add(upid.text)
    expect(await tasks.clock.run(new TaskWatcher(tasks, tasks.clock).wait(upid, HOUR_MS))).to.deep.equal({
      state: 'lost',
    })
  })

  it('stops watching when the patience is over, and asks nothing more', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const status: Awaited = await tasks.clock.run(watcher.wait(tasks.begin(HOUR_MS), 5_000))
    expect(status).to.deep.equal({state: 'timed_out'})
    const asked = tasks.questions.length
    await tasks.clock.advance(60_000)
    expect(tasks.questions.length).to.be.at.most(asked + 1)
  })

  it('watches each node by itself', async () => {
    const tasks = new Tasks()
    const watcher = new TaskWatcher(tasks, tasks.clock)
    const waits = ['pve1', 'pve2'].flatMap((node) =>
      [300, 800].map((ms) => watcher.wait(tasks.begin(ms, node), HOUR_MS)),
    )
    const all = await tasks.clock.run(Promise.all(waits))
    expect(all.map(({state}) => state)).to.deep.equal(['stopped', 'stopped', 'stopped', 'stopped'])
  })
})

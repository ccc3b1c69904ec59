import {expect} from 'chai'
import fc from 'fast-check'
import {Queue} from '../../../src/lib/engine/queue.ts'
import {VirtualClock} from '../../../src/lib/sandbox/clock.ts'

interface Job {
  vmid: number
  node: string
  ms: number
  fails: boolean
}

const jobs = fc.array(
  fc.record({
    vmid: fc.integer({min: 100, max: 106}),
    ms: fc.integer({min: 0, max: 50}),
    fails: fc.boolean(),
  }),
  {maxLength: 60},
)

/** A guest stays where it is. */
const onNode = (job: Omit<Job, 'node'>): Job => ({...job, node: job.vmid % 2 === 0 ? 'pve1' : 'pve2'})

interface Log {
  started: number[]
  ended: number[]
  most: Map<string, number>
  settled: string[]
}

/** Runs all jobs and notes their order, and how many there were on a node at a time. */
async function runAll(queue: Queue, list: readonly Job[]): Promise<Log> {
  const clock = new VirtualClock()
  const log: Log = {started: [], ended: [], most: new Map(), settled: []}
  const present = new Map<string, number>()
  const work = list.map((job, i) =>
    queue.submit(job, async () => {
      const here = (present.get(job.node) ?? 0) + 1
      present.set(job.node, here)
      log.most.set(job.node, Math.max(here, log.most.get(job.node) ?? 0))
      log.started.push(i)
      await clock.sleep(job.ms)
      log.ended.push(i)
      present.set(job.node, (present.get(job.node) ?? 0) - 1)
      if (job.fails) throw new Error('a test wants it')
    }),
  )
  const all = Promise.allSettled(work)
  log.settled = (await clock.run(all)).map(({status}) => status)
  return log
}

describe('the queue', () => {
  it('runs the jobs of one guest one at a time and in the order of their submission', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({min: 1, max: 4}), async (raw, perNode) => {
        const list = raw.map(onNode)
        const {started, ended} = await runAll(new Queue({perNode}), list)
        for (const vmid of new Set(list.map((job) => job.vmid))) {
          const own = list.flatMap((job, i) => (job.vmid === vmid ? [i] : []))
          expect(started.filter((i) => own.includes(i))).to.deep.equal(own)
          expect(ended.filter((i) => own.includes(i))).to.deep.equal(own)
        }
      }),
      {numRuns: 60},
    )
  })

  it('never begins a job of a guest before the one before it has ended', async () => {
    const queue = new Queue({perNode: 10})
    const clock = new VirtualClock()
    let isBusy = false
    const job = async (): Promise<void> => {
      expect(isBusy).to.equal(false)
      isBusy = true
      await clock.sleep(10)
      isBusy = false
    }
    await clock.run(Promise.all(Array.from({length: 20}, () => queue.submit({vmid: 100, node: 'pve1'}, job))))
  })

  it('keeps to the number of jobs on a node, and uses it', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, fc.integer({min: 1, max: 3}), async (raw, perNode) => {
        const list = raw.map(onNode)
        const {most} = await runAll(new Queue({perNode}), list)
        for (const [node, count] of most) {
          const guests = new Set(list.filter((job) => job.node === node).map((job) => job.vmid)).size
          expect(count).to.be.at.most(perNode)
          if (list.every(({ms}) => ms > 0)) expect(count).to.equal(Math.min(perNode, guests))
        }
      }),
      {numRuns: 60},
    )
  })

  it('lets a guest that waits for its turn take no place of its node', async () => {
    const clock = new VirtualClock()
    const queue = new Queue({perNode: 2})
    const ended: string[] = []
    const job = (name: string, ms: number) => async (): Promise<void> => {
      await clock.sleep(ms)
      ended.push(name)
    }
    await clock.run(
      Promise.all([
        queue.submit({vmid: 100, node: 'pve1'}, job('long', 100)),
        queue.submit({vmid: 100, node: 'pve1'}, job('behind it', 1)),
        queue.submit({vmid: 101, node: 'pve1'}, job('another', 1)),
      ]),
    )
    expect(ended).to.deep.equal(['another', 'long', 'behind it'])
  })

  it('tells a failure to the one who submitted it, and goes on with the lane', async () => {
    await fc.assert(
      fc.asyncProperty(jobs, async (raw) => {
        const list = raw.map(onNode)
        const {settled, ended} = await runAll(new Queue({perNode: 2}), list)
        expect(settled).to.deep.equal(list.map(({fails}) => (fails ? 'rejected' : 'fulfilled')))
        expect(ended).to.have.length(list.length)
      }),
      {numRuns: 40},
    )
  })

  it('drains when it is closed, and takes nothing more', async () => {
    const clock = new VirtualClock()
    const queue = new Queue({perNode: 1})
    const ended: number[] = []
    const work = [1, 2, 3].map((n) =>
      queue.submit({vmid: 100 + (n % 2), node: 'pve1'}, async () => {
        await clock.sleep(n * 10)
        ended.push(n)
      }),
    )
    await clock.run(queue.close())
    expect([...ended].sort()).to.deep.equal([1, 2, 3])
    await Promise.all(work)
    const late = await queue.submit({vmid: 100, node: 'pve1'}, () => Promise.resolve()).catch(String)
    expect(late).to.contain('a queue that is closed')
  })

  it('holds the lane of another guest too where a job asks for it, without ever waiting in a ring', async () => {
    const pairs = fc.array(fc.tuple(fc.integer({min: 100, max: 104}), fc.integer({min: 100, max: 104})), {
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(pairs, async (list) => {
        const clock = new VirtualClock()
        const queue = new Queue({perNode: 10})
        const held = new Set<number>()
        const work = list.map(([vmid, other]) =>
          queue.submit(
            {vmid, node: 'pve1'},
            async () => {
              const own = new Set([vmid, other])
              for (const one of own) expect(held.has(one)).to.equal(false)
              for (const one of own) held.add(one)
              await clock.sleep(5)
              for (const one of own) held.delete(one)
            },
            [other],
          ),
        )
        await clock.run(Promise.all(work))
      }),
      {numRuns: 60},
    )
  })

  it('is usable again for a guest whose lane was empty for a while', async () => {
    const queue = new Queue({perNode: 1})
    for (let i = 0; i < 3; i++) {
      expect(await queue.submit({vmid: 100, node: 'pve1'}, () => Promise.resolve(i))).to.equal(i)
    }
  })
})

import {expect} from 'chai'
import {VirtualClock} from '../../../../src/lib/sandbox/clock.ts'
import {ConfigLocks} from '../../../../src/lib/sandbox/guest/config-lock.ts'

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof Error ? error.message : error),
  )

describe('the lock on a config file', () => {
  let clock: VirtualClock
  let locks: ConfigLocks

  beforeEach(() => {
    clock = new VirtualClock()
    locks = new ConfigLocks({
      clock,
      guest: () => undefined,
      state: {quorate: true},
      tasks: {nextPid: () => 1},
    })
  })

  /** Works for a second and notes when. */
  const worker = (log: string[], name: string) => async (): Promise<void> => {
    log.push(`${name} begins`)
    await clock.sleep(1000)
    log.push(`${name} ends`)
  }

  it('has one holder at a time, even for those who ask in the same moment', async () => {
    const log: string[] = []
    const all = ['a', 'b', 'c'].map((name) => locks.withLock('qemu', 201, worker(log, name)))
    await clock.run(Promise.all(all))
    expect(log).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('is shared by readers, for all of whom a writer waits', async () => {
    const log: string[] = []
    const readers = ['a', 'b'].map((name) => locks.withSharedLock('qemu', 201, worker(log, name)))
    const writer = locks.withLock('qemu', 201, worker(log, 'writer'))
    await clock.run(Promise.all([...readers, writer]))
    expect(log).to.deep.equal(['a begins', 'b begins', 'a ends', 'b ends', 'writer begins', 'writer ends'])
  })

  it('is given up after the time-out, with the file’s name', async () => {
    const log: string[] = []
    const holder = locks.withLock('qemu', 201, () => clock.sleep(5000))
    const late = failureOf(locks.withSharedLock('qemu', 201, worker(log, 'late'), 1000))
    await clock.run(Promise.all([holder, late]))
    expect(await late).to.equal("can't lock file '/var/lock/qemu-server/lock-201.conf' - got timeout\n")
    expect(log).to.deep.equal([])
  })

  it('is free again after a failure', async () => {
    const failure = failureOf(locks.withLock('lxc', 101, () => Promise.reject(new Error('no'))))
    expect(await clock.run(failure)).to.equal('no')
    expect(await clock.run(locks.withLock('lxc', 101, () => 'mine'))).to.equal('mine')
  })
})

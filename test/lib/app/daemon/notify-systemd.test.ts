import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {makeNotifier} from '../../../../src/lib/app/daemon/notify-systemd.ts'
import type {Notifier} from '../../../../src/lib/app/daemon/ports.ts'
import {runSystemdNotify} from '../../../../src/lib/app/daemon/run-systemd-notify.ts'
import {NotifySocket} from '../../../support/notify-socket.ts'
import {waitFor} from '../../../support/wait-for.ts'

const HOUR_USEC = '3600000000'

describe('what systemd hears of the daemon, through the real systemd-notify', () => {
  let dir: string
  let socket: NotifySocket | undefined
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-notify-'))
  })
  afterEach(async () => {
    await socket?.close()
    socket = undefined
    rmSync(dir, {recursive: true, force: true})
  })

  const listen = async (name: string, more: NodeJS.ProcessEnv = {}): Promise<[NotifySocket, Notifier]> => {
    socket = await NotifySocket.listen(name)
    return [socket, makeNotifier({PATH: process.env['PATH'], NOTIFY_SOCKET: name, ...more})]
  }

  it('is that it is ready, what it does, that it reloads and that it stops, in this order', async () => {
    const [heard, notifier] = await listen(join(dir, 'notify'))
    notifier.ready()
    notifier.status('pass 1:\nall as\u001B desired')
    notifier.reloading()
    notifier.ready()
    notifier.stopping()
    await heard.until('STOPPING=1')
    const states = heard.fields().filter((field) => /^(?:READY|RELOADING|STOPPING)=/.test(field))
    expect(states).to.deep.equal(['READY=1', 'RELOADING=1', 'READY=1', 'STOPPING=1'])
    expect(heard.fields()).to.include('STATUS=pass 1: all as  desired')
    expect(heard.fields()).to.include(`MAINPID=${process.pid}`)
    const [, usec] = /^MONOTONIC_USEC=(\d+)$/m.exec(heard.messages.join('\n')) ?? []
    expect(Number(usec)).to.be.within(1, Number(process.hrtime.bigint() / 1000n))
  })

  it('comes by an abstract socket too', async () => {
    const [heard, notifier] = await listen(`@felhom-test-${process.pid}`)
    notifier.ready()
    await heard.until('READY=1')
  })

  it('is food for the watchdog once for many steps of the loop, and none without a watchdog', async () => {
    const [heard, notifier] = await listen(join(dir, 'notify'), {WATCHDOG_USEC: HOUR_USEC})
    for (let step = 0; step < 1000; step++) notifier.progress()
    notifier.stopping()
    await heard.until('STOPPING=1')
    expect(heard.fields().filter((field) => field === 'WATCHDOG=1')).to.have.lengthOf(1)
    const unwatched = makeNotifier({PATH: process.env['PATH'], NOTIFY_SOCKET: join(dir, 'notify')})
    unwatched.progress()
    unwatched.status('last')
    await heard.until('STATUS=last')
    expect(heard.fields().filter((field) => field === 'WATCHDOG=1')).to.have.lengthOf(1)
  })

  it('is food again when a quarter of the time is over, if the loop moves', async () => {
    const [heard, notifier] = await listen(join(dir, 'notify'), {WATCHDOG_USEC: '2000'})
    await waitFor(() => {
      notifier.progress()
      return Promise.resolve(heard.fields().filter((field) => field === 'WATCHDOG=1').length >= 3)
    })
  })

  it('is the newest status only, however many there were while a message was on its way', async () => {
    const [heard, notifier] = await listen(join(dir, 'notify'))
    for (let pass = 1; pass <= 100; pass++) notifier.status(`pass ${pass}`)
    await heard.until('STATUS=pass 100')
    expect(heard.messages).to.have.lengthOf(2)
  })

  it('is nothing where nobody listens, and nobody is harmed', () => {
    const notifier = makeNotifier({PATH: process.env['PATH'], WATCHDOG_USEC: HOUR_USEC})
    for (const tell of ['ready', 'progress', 'reloading', 'stopping'] as const) notifier[tell]()
    notifier.status('x')
  })

  it('harms nobody when systemd-notify is missing, fails, or finds no socket', async () => {
    const log = join(dir, 'log')
    writeFileSync(log, '')
    writeFileSync(join(dir, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${log}\nexit 1\n`, {mode: 0o755})
    const failing = makeNotifier({PATH: dir, NOTIFY_SOCKET: 'x', WATCHDOG_USEC: HOUR_USEC})
    failing.ready()
    failing.progress()
    failing.stopping()
    const said = (): string => readFileSync(log, 'utf8')
    await waitFor(() => Promise.resolve(said().includes('STOPPING=1')))
    expect(said()).to.contain('READY=1')
    const missing = makeNotifier({PATH: '/nonexistent', NOTIFY_SOCKET: 'x', WATCHDOG_USEC: HOUR_USEC})
    missing.ready()
    missing.progress()
    const lost = makeNotifier({PATH: process.env['PATH'], NOTIFY_SOCKET: join(dir, 'nowhere')})
    lost.ready()
    lost.stopping()
  })
})

const WATCHDOG_USEC = '300000000'
const WATCHDOG_MS = 300_000
const SECOND_MS = 1_000

/** systemd and the clock, in a test's hand. */
class NotifierBench {
  nowMs = 0
  arrives = true
  readonly sent: {readonly atMs: number; readonly words: string}[] = []
  readonly #due: {readonly atMs: number; readonly work: () => void}[] = []
  readonly notifier = makeNotifier(
    {NOTIFY_SOCKET: 'x', WATCHDOG_USEC},
    {
      send: (words, end) => {
        this.sent.push({atMs: this.nowMs, words: words.join(' ')})
        end(this.arrives)
      },
      nowMs: () => this.nowMs,
      later: (ms, work) => void this.#due.push({atMs: this.nowMs + ms, work}),
    },
  )

  /** Whatever is due on the way is done. */
  goTo(atMs: number): void {
    for (;;) {
      const next = this.#due.findIndex((timer) => timer.atMs <= atMs)
      const [timer] = next < 0 ? [] : this.#due.splice(next, 1)
      if (!timer) break
      this.nowMs = Math.max(this.nowMs, timer.atMs)
      timer.work()
    }
    this.nowMs = atMs
  }

  said(): string[] {
    return this.sent.map(({words}) => words)
  }
}

describe('what systemd hears of the daemon, by a clock', () => {
  it('is food so often that nearly all of the time of the watchdog may pass in silence', () => {
    const bench = new NotifierBench()
    // A loop that moves each second, and then a slow fetch.
    for (let second = 0; second <= 149; second++) {
      bench.goTo(second * SECOND_MS)
      bench.notifier.progress()
    }
    const lastMs = bench.sent.at(-1)?.atMs ?? 0
    const silenceMs = lastMs + WATCHDOG_MS - 149 * SECOND_MS
    expect(silenceMs).to.be.at.least(290 * SECOND_MS)
    expect(bench.sent).to.have.lengthOf(15)
  })

  it('is food at a step of the loop alone, however often it did not arrive', () => {
    const bench = new NotifierBench()
    bench.arrives = false
    bench.notifier.progress()
    bench.goTo(100 * SECOND_MS)
    expect(bench.said()).to.deep.equal(['WATCHDOG=1'])
    bench.arrives = true
    bench.notifier.progress()
    expect(bench.said()).to.deep.equal(['WATCHDOG=1', 'WATCHDOG=1'])
  })

  it('is said again until it has arrived, in its order and at a growing pace', () => {
    const bench = new NotifierBench()
    bench.arrives = false
    bench.notifier.ready()
    bench.notifier.status('pass 1')
    bench.goTo(20 * SECOND_MS)
    expect(bench.sent.map(({atMs}) => atMs / SECOND_MS)).to.deep.equal([0, 0, 1, 3, 7, 15])
    bench.notifier.status('pass 2')
    bench.notifier.reloading()
    bench.arrives = true
    bench.goTo(60 * SECOND_MS)
    const [first, second, ...rest] = bench.said().slice(-2)
    expect(first).to.equal('READY=1 STATUS=pass 2')
    expect(second).to.match(/^RELOADING=1 MONOTONIC_USEC=\d+$/)
    expect(rest).to.deep.equal([])
  })

  it('is that it stops, even where nothing before that has arrived', () => {
    const bench = new NotifierBench()
    bench.arrives = false
    bench.notifier.ready()
    bench.notifier.stopping()
    bench.notifier.progress()
    bench.arrives = true
    bench.goTo(60 * SECOND_MS)
    expect(bench.said()).to.include('STOPPING=1')
    expect(bench.said().at(-1)).to.equal('STOPPING=1')
  })

  it('throws nothing into whoever has shown progress, where no process can be started', () => {
    const ends: boolean[] = []
    runSystemdNotify(['READY=1'], {PATH: 'a\0b'}, (hasArrived) => void ends.push(hasArrived))
    expect(ends).to.deep.equal([false])
  })
})

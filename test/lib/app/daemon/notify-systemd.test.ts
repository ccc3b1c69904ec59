import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {makeNotifier} from '../../../../src/lib/app/daemon/notify-systemd.ts'
import type {Notifier} from '../../../../src/lib/app/daemon/ports.ts'
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

  it('is food again when half of the time is over, if the loop moves', async () => {
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
    writeFileSync(join(dir, 'systemd-notify'), `#!/bin/sh\necho "$@" >> ${log}\nexit 1\n`, {mode: 0o755})
    const failing = makeNotifier({PATH: dir, NOTIFY_SOCKET: 'x', WATCHDOG_USEC: HOUR_USEC})
    failing.ready()
    failing.progress()
    failing.stopping()
    const said = (): string => {
      try {
        return readFileSync(log, 'utf8')
      } catch {
        return ''
      }
    }
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

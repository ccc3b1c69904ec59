import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {acquireLock, type LockOptions, type StateLock} from '../../../src/lib/store/acquire-lock.ts'
import {rejection} from '../../support/reject.ts'

const HOLD = fileURLToPath(new URL('../../support/hold-lock.ts', import.meta.url))

describe('the lock of a state directory', () => {
  let base: string
  let dir: string
  const children: ChildProcess[] = []
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'felhom-lock-'))
    dir = join(base, 'state')
    mkdirSync(dir, 0o700)
  })
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    rmSync(base, {recursive: true})
  })

  const acquire = (more: Partial<LockOptions> = {}): Promise<StateLock> =>
    acquireLock(dir, {timeoutMs: 0, holder: 'felhom apply', ...more})
  const start = (...args: string[]): ChildProcess => {
    const child = spawn(process.execPath, ['--import', 'tsx', HOLD, dir, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    return child
  }

  it('is held by one at a time, and free again when it is given back', async () => {
    const first = await acquire()
    const error = await rejection(acquire({timeoutMs: 120}))
    expect(error.code).to.equal('journal_locked')
    expect(error.message).to.match(
      new RegExp(
        `/state/lock is held by felhom apply \\(pid ${process.pid}, since 20[^)]*Z\\), and was not free within 0.12 s`,
      ),
    )
    expect(error.hint).to.contain('--lock-timeout')
    await first.release()
    const second = await acquire()
    await first.release()
    expect((await rejection(acquire())).code).to.equal('journal_locked')
    await second.release()
  })

  it('is waited for, and who holds it is told at once', async () => {
    const first = await acquire()
    const told: string[] = []
    const waiting = acquire({timeoutMs: 60_000, onWait: (holder) => void told.push(holder)})
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await first.release()
    await (await waiting).release()
    expect(told).to.have.length(1)
    expect(told[0]).to.contain(`felhom apply (pid ${process.pid}`)
  })

  it('is free the moment its holder is killed', async () => {
    const child = start('0')
    await once(child.stdout ?? child, 'data')
    const error = await rejection(acquire())
    expect(error.message).to.contain(`felhom test (pid ${child.pid ?? 0}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (await acquire()).release()
  })

  it('is held by one of several processes at a time, round after round', async () => {
    const exits = [1, 2, 3].map(async () => {
      const [code] = (await once(start('8', '3'), 'exit')) as [number | null]
      return code
    })
    expect(await Promise.all(exits)).to.deep.equal([0, 0, 0])
    const rounds = readFileSync(join(base, 'rounds'), 'utf8').trimEnd().split('\n')
    expect(rounds).to.have.length(3 * 8 * 2)
    for (let at = 0; at < rounds.length; at += 2)
      expect(rounds[at + 1]).to.equal(rounds[at]?.replace('in', 'out'))
  })

  it('is not passed on to programs that are started meanwhile', async () => {
    const lock = await acquire()
    const child = spawn('sleep', ['60'], {stdio: 'ignore'})
    children.push(child)
    await once(child, 'spawn')
    await lock.release()
    await (await acquire()).release()
  })

  it('is no longer waited for when the wait is called off', async () => {
    const lock = await acquire()
    const stop = new AbortController()
    const waiting = rejection(acquire({timeoutMs: 60_000, signal: stop.signal, onWait: () => stop.abort()}))
    expect((await waiting).code).to.equal('interrupted')
    expect((await rejection(acquire({signal: stop.signal}))).code).to.equal('interrupted')
    await lock.release()
  })

  it('is tried again where a signal has ended flock, unless it has called off the wait as well', async () => {
    const path = process.env['PATH'] ?? ''
    const once = join(base, 'once')
    const script = `#!/bin/sh\nif mkdir ${once} 2>/dev/null; then kill -INT $$; fi\nPATH=${path} exec flock "$@"\n`
    writeFileSync(join(base, 'flock'), script, {mode: 0o755})
    process.env['PATH'] = `${base}:${path}`
    try {
      await (await acquire({timeoutMs: 10_000})).release()
      rmSync(once, {recursive: true})
      const stop = new AbortController()
      const waiting = rejection(acquire({timeoutMs: 10_000, signal: stop.signal}))
      stop.abort()
      expect((await waiting).code).to.equal('interrupted')
    } finally {
      process.env['PATH'] = path
    }
  })

  it('says what to install where flock is missing', async () => {
    const path = process.env['PATH']
    process.env['PATH'] = base
    try {
      const error = await rejection(acquire())
      expect(error.code).to.equal('state_unsafe')
      expect(error.hint).to.contain('util-linux')
    } finally {
      process.env['PATH'] = path
    }
  })

  it('is refused in a file that is a link, or that others may write', async () => {
    writeFileSync(join(base, 'other'), '')
    symlinkSync(join(base, 'other'), join(dir, 'lock'))
    expect((await rejection(acquire())).code).to.equal('state_unsafe')
    rmSync(join(dir, 'lock'))
    writeFileSync(join(dir, 'lock'), '')
    chmodSync(join(dir, 'lock'), 0o666)
    expect((await rejection(acquire())).hint).to.equal(`chmod 600 ${join(dir, 'lock')}`)
  })
})

// The journal against the disk it writes to, and against the bare parser for what it reads.
import {execFileSync} from 'node:child_process'
import {mkdirSync, readdirSync, readFileSync, rmSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import type {Intent} from '../src/lib/model/operation.ts'
import {openJournal, type JournalStore} from '../src/lib/store/open-journal.ts'
import {systemDisk} from '../src/lib/store/system-disk.ts'
import {verifyJournal} from '../src/lib/store/verify-journal.ts'
import {compareRounds, type Outcome} from './harness.ts'
import {BIN, has, peakMemory, scratch} from './processes.ts'

const APPENDS = 4000
const HISTORY = 1_000_000

export async function benchJournal(rounds: number): Promise<Outcome[]> {
  return [...(await benchAppend(rounds)), ...(await benchReplay(Math.min(rounds, 3)))]
}

async function benchAppend(rounds: number): Promise<Outcome[]> {
  const metric = 'journal append'
  if (!has('cc')) return [{metric, why: 'there is no C compiler for the loop it is measured against'}]
  const loop = join(scratch, 'fdatasync-loop')
  execFileSync('cc', ['-O2', '-o', loop, fileURLToPath(new URL('./fdatasync-loop.c', import.meta.url))])
  const bytes = await recordBytes()
  const file = join(scratch, 'loop.log')
  const result = await compareRounds(
    rounds,
    {
      loop: () => Number(execFileSync(loop, [file, String(APPENDS), String(bytes)]).toString()),
      one: () => appendsPerSecond(1),
      eight: () => appendsPerSecond(8),
      sixtyFour: () => appendsPerSecond(64),
    },
    'loop',
  )
  const row = (who: string, key: 'one' | 'eight' | 'sixtyFour', goal: number): Outcome => ({
    metric: `${metric}, ${who}`,
    value: result[key].ratio,
    goal,
    better: 'larger',
    detail: `${result[key].median.toFixed(0)} records/s against ${result.loop.median.toFixed(0)} of a C loop, ${bytes.toFixed(0)} bytes each`,
  })
  return [row('1 appender', 'one', 0.6), row('8 appenders', 'eight', 2), row('64 appenders', 'sixtyFour', 14)]
}

let runs = 0

async function withJournal<T>(work: (journal: JournalStore, dir: string) => Promise<T>): Promise<T> {
  const dir = join(scratch, `state-${String(runs++)}`)
  mkdirSync(dir, {mode: 0o700})
  const journal = await open(dir)
  try {
    return await work(journal, dir)
  } finally {
    await journal.close()
    rmSync(dir, {recursive: true})
  }
}

const open = (dir: string): Promise<JournalStore> =>
  openJournal({
    disk: systemDisk,
    dir,
    identity: {endpoint: 'https://pve1.example:8006', tokenId: 'felhom@pve!bench'},
    clock: Date,
    warn: (text) => {
      throw new Error(text)
    },
  })

/** Each appender is the lane of one guest: started, succeeded, and again. */
const appendsPerSecond = (appenders: number): Promise<number> =>
  withJournal(async (journal) => {
    const each = Math.ceil(Math.max(APPENDS, appenders * 400) / appenders / 2)
    const started = performance.now()
    await Promise.all(Array.from({length: appenders}, (_, lane) => live(journal, 100 + lane, each)))
    return (appenders * each * 2) / ((performance.now() - started) / 1000)
  })

async function live(journal: JournalStore, vmid: number, operations: number): Promise<void> {
  for (let n = 0; n < operations; n++) {
    const intent = describeIntent(vmid, n)
    await journal.start(intent)
    await journal.settle(intent.op, {state: 'succeeded', by: 'engine', reason: ''})
  }
}

const recordBytes = (): Promise<number> =>
  withJournal(async (journal, dir) => {
    await live(journal, 100, 50)
    return Math.round(sizeOf(dir) / 100)
  })

const segments = (dir: string): string[] =>
  readdirSync(join(dir, 'journal'))
    .sort()
    .map((name) => join(dir, 'journal', name))

const sizeOf = (dir: string): number => segments(dir).reduce((sum, file) => sum + statSync(file).size, 0)

const describeIntent = (vmid: number, n: number): Intent => ({
  op: `20261118T060000-0000.${String(vmid)}-${String(n)}`,
  run: '20261118T060000-0000',
  target: {kind: 'lxc', vmid, node: 'pve1'},
  name: `guest-${String(vmid)}`,
  body: {type: 'set-config', set: {memory: '2048', tags: 'prod;web'}, delete: ['swap']},
  class: 'benign',
  before: {run: 'running', options: {memory: '1024', tags: 'web', swap: '512'}},
  identity: {
    kind: 'lxc',
    vmid,
    ids: ['hwaddr:BC:24:11:00:00:01', `rootfs:local-lvm:vm-${String(vmid)}-disk-0`],
  },
  digest: '0b9c1a2b0b9c1a2b0b9c1a2b0b9c1a2b0b9c1a2b',
  knownTasks: [],
  atMs: 1_800_000_000_000 + n,
})

async function benchReplay(rounds: number): Promise<Outcome[]> {
  const dir = join(scratch, 'state-history')
  mkdirSync(dir, {mode: 0o700})
  await writeHistory(dir)
  const files = segments(dir)
  const time = await compareRounds(
    rounds,
    {
      parse: () => timed(() => parseLines(files)),
      verify: () => timed(() => verifyAll(dir)),
    },
    'parse',
  )
  const memory = await compareRounds(
    rounds,
    {
      node: () => peakMemory(['-e', '0']),
      verify: () => peakMemory([BIN, 'journal', 'verify'], {FELHOM_STATE: dir}),
    },
    'node',
  )
  const start = await compareRounds(
    rounds * 3,
    {
      newest: () => timed(() => reopenNewest(dir)),
      whole: () => timed(async () => (await open(dir)).close()),
    },
    'newest',
  )
  const history = `${HISTORY.toLocaleString('en')} records, ${String(files.length)} segments`
  return [
    {
      metric: 'replay of the journal, every hash verified',
      value: time.verify.ratio,
      goal: 3,
      better: 'smaller',
      detail: `${(time.verify.median / 1000).toFixed(1)} s against ${(time.parse.median / 1000).toFixed(1)} s of JSON.parse; ${history}`,
    },
    {
      metric: 'peak memory of journal verify',
      value: memory.verify.ratio,
      goal: 3.5,
      better: 'smaller',
      detail: `${(memory.verify.median / 2 ** 20).toFixed(0)} MiB against ${(memory.node.median / 2 ** 20).toFixed(0)} of node -e 0`,
    },
    {
      metric: 'start with a long history',
      value: start.whole.ratio,
      goal: 1.1,
      better: 'smaller',
      detail: `${start.whole.median.toFixed(0)} ms against ${start.newest.median.toFixed(0)} ms of the newest segment alone`,
    },
  ]
}

/** Many lanes at once, so that syncs are shared; memory that forgets would do, but this is the real thing. */
async function writeHistory(dir: string): Promise<void> {
  const journal = await open(dir)
  const lanes = 2000
  await Promise.all(Array.from({length: lanes}, (_, lane) => live(journal, 100 + lane, HISTORY / lanes / 2)))
  await journal.close()
}

function parseLines(files: readonly string[]): number {
  let count = 0
  for (const file of files) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      if (line === '') continue
      JSON.parse(line)
      count++
    }
  }
  return count
}

async function verifyAll(dir: string): Promise<void> {
  const report = await verifyJournal({disk: systemDisk, dir})
  if (report.problems.length > 0 || report.records < HISTORY) throw new Error(JSON.stringify(report))
}

/** A copy of the state directory that has no past. */
async function reopenNewest(dir: string): Promise<void> {
  const young = `${dir}-young`
  const newest = segments(dir).at(-1) ?? ''
  rmSync(young, {recursive: true, force: true})
  mkdirSync(join(young, 'journal'), {recursive: true, mode: 0o700})
  execFileSync('cp', [newest, join(young, 'journal')])
  await (await open(young)).close()
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

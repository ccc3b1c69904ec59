// Carrying out a plan with the journal on: against proxmoxer, against the tasks themselves, and what it asks of
// Proxmox on the way.
import {execFile, spawnSync} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {systemClock} from '../src/lib/app/system-clock.ts'
import {workFromFiles} from '../src/lib/app/apply/apply-work.ts'
import {useDesired} from '../src/lib/app/source/use-desired.ts'
import {FilesProvider} from '../src/lib/desired/files-provider.ts'
import {runPlan} from '../src/lib/engine/run-plan.ts'
import {createGate} from '../src/lib/gate/gate.ts'
import type {RunEvent} from '../src/lib/model/run-event.ts'
import {ApiToken} from '../src/lib/pve/api-token.ts'
import {Connection} from '../src/lib/pve/connection.ts'
import {createReader} from '../src/lib/pve/read.ts'
import {createWriter} from '../src/lib/pve/write.ts'
import {generateSeed} from '../src/lib/sandbox/seed-generator.ts'
import {startSandbox as startInProcess, type Sandbox} from '../src/lib/sandbox/index.ts'
import {openJournal} from '../src/lib/store/open-journal.ts'
import {systemDisk} from '../src/lib/store/system-disk.ts'
import {compareRounds, median, type Outcome} from './harness.ts'
import {postJson, scratch, startSandbox, type SandboxProcess} from './processes.ts'

const run = promisify(execFile)
const GUESTS = 100
const WRITES_AT_ONCE = 4

interface Server {
  readonly url: string
  readonly caFile: string
  readonly token: string
}

export async function benchApply(rounds: number): Promise<Outcome[]> {
  return [
    ...(await benchWrites(Math.min(rounds, 5))),
    ...(await benchTaskEnds(Math.min(rounds, 3))),
    await benchLongestLane(Math.min(rounds, 3)),
  ]
}

interface Applied {
  readonly ms: number
  readonly events: readonly {readonly event: RunEvent; readonly atMs: number}[]
  readonly requests: number
  readonly polls: number
}

let applies = 0

/** One apply in this process: the plan is not part of the time, the journal is. */
async function apply(server: Server, yaml: string, perNode: number): Promise<Applied> {
  const n = String(applies++)
  const dir = join(scratch, `apply-${n}`)
  mkdirSync(dir, {mode: 0o700})
  const file = join(dir, 'guests.yaml')
  writeFileSync(file, yaml)
  const connection = new Connection({
    endpoints: [server.url],
    token: ApiToken.parse(server.token),
    trust: {ca: readFileSync(server.caFile, 'utf8')},
    limits: {writesPerNode: perNode},
  })
  const tokenId = server.token.split('=', 1)[0] ?? ''
  const journal = await openJournal({
    disk: systemDisk,
    dir,
    identity: {endpoint: server.url, tokenId},
    clock: systemClock,
    warn: (text) => {
      throw new Error(text)
    },
  })
  const events: {event: RunEvent; atMs: number}[] = []
  try {
    const counted = countReads(connection)
    const reader = createReader(counted.connection)
    const state = await useDesired(new FilesProvider([file], {cwd: dir}))
    const planned = await workFromFiles(state, [], {}).plan(await reader.readCluster(), reader)
    counted.reset()
    const started = performance.now()
    const {results} = await runPlan(planned.plan, {
      run: `20261118T060000-${n.padStart(4, '0')}`,
      tokenId,
      reader,
      writer: createWriter(connection),
      journal,
      gate: createGate(),
      clock: systemClock,
      perNode,
      taskTimeoutMs: 600_000,
      stop: new AbortController().signal,
      emit: (event) => events.push({event, atMs: performance.now()}),
      secretsFor: () => Promise.resolve({}),
      planAgain: (guest) => planned.planAgain(guest),
      mayAdapt: false,
      randomHex: (digits) => '0'.repeat(digits),
    })
    const ms = performance.now() - started
    const failed = results.find(({outcome}) => outcome !== 'succeeded')
    if (failed) throw new Error(`${String(failed.guest.vmid)}: ${failed.outcome}: ${failed.detail ?? ''}`)
    return {ms, events, requests: counted.count() + results.length, polls: counted.polls()}
  } finally {
    await journal.close()
    await connection.close()
  }
}

interface CountedReads {
  connection: Pick<Connection, 'get'>
  count(): number
  /** Looks at the running tasks of a node. */
  polls(): number
  reset(): void
}

function countReads(connection: Connection): CountedReads {
  let count = 0
  let polls = 0
  return {
    connection: {
      get: (...request) => {
        count++
        if (request[1]?.['source'] === 'active') polls++
        return connection.get(...request)
      },
    },
    count: () => count,
    polls: () => polls,
    reset: () => {
      count = 0
      polls = 0
    },
  }
}

async function benchWrites(rounds: number): Promise<Outcome[]> {
  const seed = join(scratch, 'apply-seed.json')
  writeFileSync(seed, JSON.stringify(generateSeed(GUESTS)))
  const sandbox = await startSandbox(seed)
  const server = {url: sandbox.url, caFile: sandbox.caFile, token: sandbox.tokens.full}
  let requests = 0
  let memory = 4096
  try {
    const felhom = async (): Promise<number> => {
      memory += 16
      const applied = await apply(server, memoryYaml(memory), WRITES_AT_ONCE)
      requests = applied.requests
      return GUESTS / (applied.ms / 1000)
    }
    const perChange: Outcome = {
      metric: 'requests per applied config change',
      value: (await felhom().then(() => requests)) / GUESTS,
      goal: 2,
      better: 'smaller',
      detail: `${String(requests)} requests for ${String(GUESTS)} changes after the plan`,
    }
    const metric = `${String(GUESTS)} config writes, journal on, against proxmoxer`
    if (spawnSync('/usr/bin/python3', ['-c', 'import proxmoxer']).status !== 0)
      return [perChange, {metric, why: 'python3-proxmoxer is not installed'}]
    const script = fileURLToPath(new URL('./proxmoxer-write.py', import.meta.url))
    const proxmoxer = async (threads: number): Promise<number> => {
      memory += 16
      const args = [server.url, server.caFile, server.token, String(threads), String(memory)]
      const {stdout} = await run('/usr/bin/python3', [script, ...args])
      return Number(stdout)
    }
    const bare = await compareRounds(
      rounds,
      {proxmoxer: () => proxmoxer(WRITES_AT_ONCE), felhom},
      'proxmoxer',
    )
    await slowDown(sandbox, PROXMOX_WRITE_MS)
    const paced = await compareRounds(rounds, {proxmoxer: () => proxmoxer(1), felhom}, 'proxmoxer')
    const detail = `${paced.felhom.median.toFixed(0)} writes/s, ${String(WRITES_AT_ONCE)} at once, against ${paced.proxmoxer.median.toFixed(0)} of proxmoxer, one after the other, on a server as slow as Proxmox; ${bare.felhom.ratio.toFixed(2)} of proxmoxer with as many threads on the bare sandbox (${bare.felhom.median.toFixed(0)} against ${bare.proxmoxer.median.toFixed(0)}), where felhom alone reads each guest again and syncs its journal`
    return [perChange, {metric, value: paced.felhom.ratio, goal: 1.8, better: 'larger', detail}]
  } finally {
    sandbox.child.kill('SIGTERM')
  }
}

/** 27 writes a second of one client were measured of Proxmox; its three workers share four writers. */
const PROXMOX_WRITE_MS = 36 * (4 / 3)

async function slowDown(sandbox: SandboxProcess, ms: number): Promise<void> {
  const fault = {method: 'PUT', path: '*/config', kind: 'delay', ms, times: 1_000_000_000}
  await postJson(sandbox, '/sandbox/control', {fault})
}

const guestsYaml = (
  render: (guest: {kind: string; vmid: number; i: number}) => string,
  count = GUESTS,
): string => {
  const {guests} = generateSeed(count) as unknown as {guests: {kind: string; vmid: number}[]}
  return `felhom: 1\nguests:\n${guests.map(({kind, vmid}, i) => `  ${String(vmid)}: ${render({kind, vmid, i})}\n`).join('')}`
}

const memoryYaml = (memory: number): string =>
  guestsYaml(({kind}) => `{kind: ${kind}, config: {memory: ${String(memory)}}}`)

/** A sandbox in this process, so that the very moment in which a task ends can be seen. */
async function withSandbox<T>(
  guests: number,
  work: (sandbox: Sandbox, server: Server) => Promise<T>,
): Promise<T> {
  const seed = generateSeed(guests)
  const sandbox = await startInProcess({
    port: 0,
    seed: {...seed, guests: seed.guests.map((guest) => ({...guest, running: false}))},
  })
  try {
    return await work(sandbox, {
      url: sandbox.url,
      caFile: sandbox.caFile,
      token: sandbox.tokens['full'] ?? '',
    })
  } finally {
    await sandbox.close()
  }
}

/** When each task that an apply started has really ended. */
function watchEnds(sandbox: Sandbox): {ends: Map<string, number>; starts: Map<string, number>; stop(): void} {
  const ends = new Map<string, number>()
  const starts = new Map<string, number>()
  const timer = setInterval(() => {
    for (const task of sandbox.cluster.state.tasks) {
      if (!starts.has(task.upid)) starts.set(task.upid, performance.now())
      if (task.exitstatus !== undefined && !ends.has(task.upid)) ends.set(task.upid, performance.now())
    }
  }, 1)
  return {
    ends,
    starts,
    stop: () => {
      clearInterval(timer)
    },
  }
}

/** Of a poll a second, over every moment at which a task can end; the answer itself comes on top. */
const FIXED_POLL_MEAN_MS = 500

async function benchTaskEnds(rounds: number): Promise<Outcome[]> {
  const delays: number[] = []
  let polls = 0
  for (let round = 0; round < rounds; round++) {
    await withSandbox(10, async (sandbox, server) => {
      const watch = watchEnds(sandbox)
      const {
        ms,
        events,
        polls: asked,
      } = await apply(
        server,
        guestsYaml(({kind}) => `{kind: ${kind}, run: running}`, 10),
        10,
      )
      watch.stop()
      polls = Math.max(polls, asked / (ms / 1000))
      for (const {event} of events) {
        if (event.type !== 'task_started') continue
        const ended = events.find(({event: e}) => e.type === 'action_ended' && e.result.op === event.op)
        const end = watch.ends.get(event.upid)
        if (!ended || end === undefined) continue
        delays.push(Math.max(0, ended.atMs - end))
      }
    })
  }
  const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / values.length
  return [
    {
      metric: 'end of a task noticed, 10 in flight',
      value: mean(delays) / FIXED_POLL_MEAN_MS,
      goal: 0.3,
      better: 'smaller',
      detail: `${mean(delays).toFixed(0)} ms after it, ${String(FIXED_POLL_MEAN_MS)} ms with a poll a second; ${String(delays.length)} tasks`,
    },
    {
      metric: 'polls a second of one node, 10 in flight',
      value: polls,
      goal: 10,
      better: 'smaller',
      detail: 'and one status of each task when it has left the list',
    },
  ]
}

/** Ten options of each guest, then its start: what remains besides the tasks of one guest is felhom's own. */
async function benchLongestLane(rounds: number): Promise<Outcome> {
  const ratios: number[] = []
  const walls: number[] = []
  for (let round = 0; round < rounds; round++) {
    await withSandbox(GUESTS, async (sandbox, server) => {
      const watch = watchEnds(sandbox)
      const {ms} = await apply(server, guestsYaml(tenChanges), GUESTS)
      watch.stop()
      const durations = [...watch.ends].map(([upid, end]) => end - (watch.starts.get(upid) ?? end))
      ratios.push(ms / Math.max(...durations))
      walls.push(ms)
    })
  }
  return {
    metric: '1,000 changes and 100 starts, against the longest task of a guest',
    value: median(ratios),
    goal: 6,
    better: 'smaller',
    detail: `${(median(walls) / 1000).toFixed(1)} s for ${String(GUESTS * 2)} operations, server and client in one process`,
  }
}

function tenChanges({kind, i}: {kind: string; i: number}): string {
  const shared = `memory: ${String(1536 + i)}, cores: 3, onboot: false, description: changed, tags: [bench], protection: true, cpuunits: 200`
  const own =
    kind === 'lxc' ? 'swap: 64, cpulimit: 1, nameserver: 10.0.0.53' : 'cpulimit: 1, balloon: 512, numa: true'
  return `{kind: ${kind}, run: running, config: {${shared}, ${own}}}`
}

// Passes of the daemon on large clusters: one that finds nothing against the bare state read, and the real program
// for some minutes while one guest in a hundred is changed before every second pass: time, requests and memory.
import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {request} from 'node:https'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {openDaemonWorld} from '../src/lib/app/daemon/compose-daemon.ts'
import {PassMemory, type PassWorld} from '../src/lib/app/daemon/pass-world.ts'
import {runPass} from '../src/lib/app/daemon/run-pass.ts'
import {NO_EXTENSIONS} from '../src/lib/plugin/extensions.ts'
import {ApiToken} from '../src/lib/pve/api-token.ts'
import {Connection} from '../src/lib/pve/connection.ts'
import {createReader} from '../src/lib/pve/read.ts'
import {generateSeed} from '../src/lib/sandbox/seed-generator.ts'
import {loadSettings} from '../src/lib/settings/load-settings.ts'
import {compareRounds, median, type Outcome} from './harness.ts'
import {importYaml} from './import-yaml.ts'
import {benchEnvironment, BIN, peakMemory, scratch, startSandbox, type SandboxProcess} from './processes.ts'

/** As many connections as the daemon opens for itself. */
const READS = 2
const WARM_UP_PASSES = 6

interface Lab {
  readonly guests: number
  readonly dir: string
  readonly sandbox: SandboxProcess
  readonly env: NodeJS.ProcessEnv
}

export async function benchDaemon(rounds: number): Promise<Outcome[]> {
  const thousand = await withLab(1000, async (lab) => [
    await benchQuietPass(lab, rounds),
    ...(await benchDrift(lab, 48)),
  ])
  return [...thousand, ...(await withLab(5000, (lab) => benchDrift(lab, 30)))]
}

async function withLab<T>(guests: number, work: (lab: Lab) => Promise<T>): Promise<T> {
  const dir = join(scratch, `daemon-${String(guests)}`)
  mkdirSync(dir)
  const seed = join(dir, 'seed.json')
  writeFileSync(seed, JSON.stringify(generateSeed(guests)))
  writeFileSync(join(dir, 'guests.yaml'), importYaml(guests, Infinity).replaceAll(/^ {4}node: .*\n/gm, ''))
  writeFileSync(
    join(dir, 'felhom.yaml'),
    `felhom: 1\ndesired: guests.yaml\nlimits: {reads: ${String(READS)}}\ndaemon: {mode: benign, jitter: 0, interval: 1s}\n`,
    {mode: 0o600},
  )
  const sandbox = await startSandbox(seed)
  const {url, caFile, tokens} = sandbox
  const env = {FELHOM_ENDPOINT: url, FELHOM_TLS__CA: caFile, FELHOM_TOKEN: tokens.full}
  try {
    return await work({guests, dir, sandbox, env})
  } finally {
    sandbox.child.kill('SIGTERM')
  }
}

/** All of a pass in this process, warm, against one read of the same cluster over as many connections. */
async function benchQuietPass(lab: Lab, rounds: number): Promise<Outcome> {
  const world = await openWorld(lab)
  const memory = new PassMemory()
  let passes = 0
  const pass = async (): Promise<number> => {
    const started = performance.now()
    const {problem} = await runPass(++passes, world, memory)
    if (problem) throw new Error(problem.message)
    return performance.now() - started
  }
  const read = (): Promise<number> => readOnce(lab)
  for (let i = 0; i < WARM_UP_PASSES; i++) {
    await read()
    await pass()
  }
  const r = await compareRounds(rounds, {read, pass}, 'read')
  return {
    metric: 'daemon pass of 1,000 guests without drift, against the state read',
    value: r.pass.ratio,
    goal: 1.1,
    better: 'smaller',
    detail: `${r.pass.median.toFixed(0)} ms against ${r.read.median.toFixed(0)} ms, ${String(READS)} connections`,
  }
}

async function openWorld({dir, env}: Lab): Promise<PassWorld> {
  const {settings} = await loadSettings({cwd: dir, env})
  const state = join(dir, 'state-of-the-bench')
  const {pass} = openDaemonWorld({
    settings: {...settings, state},
    ...{env, extensions: NO_EXTENSIONS, stop: new AbortController().signal},
    tell: () => undefined,
    observeRequest: () => undefined,
    progress: () => undefined,
    observeSync: () => undefined,
  })
  return pass
}

async function readOnce({sandbox, guests}: Lab): Promise<number> {
  const connection = new Connection({
    endpoints: [sandbox.url],
    token: ApiToken.parse(sandbox.tokens.full),
    trust: {ca: readFileSync(sandbox.caFile, 'utf8')},
    limits: {reads: READS},
  })
  try {
    const started = performance.now()
    const cluster = await createReader(connection).readCluster()
    if (cluster.guests.length !== guests) throw new Error(`${String(cluster.guests.length)} guests were read`)
    return performance.now() - started
  } finally {
    await connection.close()
  }
}

interface Sample {
  readonly ms: number
  readonly requests: number
  readonly rssBytes: number
}

interface Watched {
  readonly drifted: readonly Sample[]
  readonly quiet: readonly Sample[]
  /** What was in use after the passes that warm it up, and after all of them. */
  readonly usedBytes: readonly number[]
}

/** The real program; before every second pass one guest in a hundred is changed. */
async function benchDrift(lab: Lab, passes: number): Promise<Outcome[]> {
  const {drifted, quiet, usedBytes} = await watchDaemon(lab, passes)
  const changes = lab.guests / 100
  const nodes = Math.ceil(lab.guests / 250)
  const name = `${lab.guests.toLocaleString('en')} guests`
  const of = (samples: readonly Sample[], key: keyof Sample): number => median(samples.map((one) => one[key]))
  const [first = NaN, last = NaN] = usedBytes
  const [driftMs, quietMs] = [of(drifted, 'ms'), of(quiet, 'ms')]
  // The state read; the tasks of each node, for those that nobody knows; for a change the guest, its tasks, the write.
  const budget = lab.guests + 2 * nodes + 4 + nodes + 1 + 3 * changes
  const requests = of(drifted, 'requests')
  const node = peakMemory(['-e', '0'])
  const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
  const resident = of([...drifted, ...quiet], 'rssBytes')
  return [
    {
      metric: `daemon pass of ${name} with 1 % drift, against one without`,
      value: driftMs / quietMs,
      goal: 1.25,
      better: 'smaller',
      detail: `${driftMs.toFixed(0)} ms for ${String(changes)} changes against ${quietMs.toFixed(0)} ms`,
    },
    {
      metric: `requests of a pass of ${name} with 1 % drift`,
      value: requests / budget,
      goal: 1,
      better: 'smaller',
      detail: `${String(requests)}, ${((requests / driftMs) * 1000).toFixed(0)} a second; at most ${String(budget)}`,
    },
    {
      metric: `memory in use by the daemon with ${name}, after ${String(passes)} passes against ${String(WARM_UP_PASSES)}`,
      value: last / first,
      goal: 1.05,
      better: 'smaller',
      detail: `${mib(last)} against ${mib(first)}; resident ${(resident / node).toFixed(1)} times node -e 0`,
    },
  ]
}

interface LogLine {
  readonly event?: string
  readonly durationMs?: number
  readonly result?: string
  /** Of what tell-memory.cjs says. */
  readonly bytes?: number
}

async function watchDaemon(lab: Lab, passes: number): Promise<Watched> {
  const ask = ['--expose-gc', '--require', join(import.meta.dirname, 'tell-memory.cjs')]
  const options = ['--log-format', 'json', '--log-level', 'debug']
  const daemon = spawn(process.execPath, [...ask, BIN, 'daemon', ...options], {
    ...{cwd: lab.dir, env: benchEnvironment(lab.env)},
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const drifted: Sample[] = []
  const quiet: Sample[] = []
  const usedBytes: number[] = []
  let [seen, served, changes] = [0, 0, 0]
  try {
    for await (const line of createInterface({input: daemon.stderr})) {
      const {event, durationMs, result, bytes} = JSON.parse(line) as LogLine
      if (event === 'memory_used' && bytes !== undefined) usedBytes.push(bytes)
      if (usedBytes.length === 2) break
      if (event !== 'pass_ended' || durationMs === undefined) continue
      if (result !== 'ok') throw new Error(line)
      const total = await countServed(lab.sandbox)
      // Asking for the count is one of them.
      const sample = {ms: durationMs, requests: total - served - 1, rssBytes: readRss(daemon)}
      if (++seen > WARM_UP_PASSES) (changes > 0 ? drifted : quiet).push(sample)
      if (seen === WARM_UP_PASSES || seen === passes) daemon.kill('SIGUSR2')
      changes = seen % 2 === 0 ? await drift(lab, seen) : 0
      served = await countServed(lab.sandbox)
    }
  } finally {
    daemon.kill('SIGTERM')
    if (daemon.exitCode === null) await once(daemon, 'exit')
  }
  return {drifted, quiet, usedBytes}
}

const readRss = ({pid}: ChildProcess): number => {
  const text = readFileSync(`/proc/${String(pid)}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(text)?.[1]) * 1024
}

async function drift({sandbox, guests}: Lab, round: number): Promise<number> {
  const seed = generateSeed(guests) as unknown as {guests: {kind: string; vmid: number; node: string}[]}
  const chosen = seed.guests.filter((_, i) => i % 100 === round % 100)
  for (const {kind, vmid, node} of chosen)
    await call(sandbox, 'PUT', `/api2/json/nodes/${node}/${kind}/${String(vmid)}/config`, 'tags=drifted')
  return chosen.length
}

async function countServed(sandbox: SandboxProcess): Promise<number> {
  return (JSON.parse(await call(sandbox, 'GET', '/sandbox/stats')) as {total: number}).total
}

function call(sandbox: SandboxProcess, method: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: `PVEAPIToken=${sandbox.tokens.full}`,
      ...(body !== undefined && {'Content-Type': 'application/x-www-form-urlencoded'}),
    }
    const options = {method, ca: readFileSync(sandbox.caFile), agent: false, headers}
    request(sandbox.url + path, options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        if (answer.statusCode === 200) resolve(text)
        else reject(new Error(`${method} ${path}: ${String(answer.statusCode)} ${text}`))
      })
    })
      .on('error', reject)
      .end(body)
  })
}

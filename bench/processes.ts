// Processes as benchmarks need them: timed, counted, and with an environment that does not cost start-up time.
import {spawn, spawnSync, type ChildProcess} from 'node:child_process'
import {mkdtempSync, readFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {request} from 'node:https'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'

export const BIN = fileURLToPath(new URL('../bin/run.js', import.meta.url))
const RSS_HOOK = new URL('./print-rss.mjs', import.meta.url).href

export const scratch = mkdtempSync(join(tmpdir(), 'felhom-bench-'))

/** NODE_EXTRA_CA_CERTS costs 40 ms a process on Node 20. */
export function benchEnvironment(extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {PATH: process.env['PATH'], HOME: scratch, XDG_CONFIG_HOME: scratch, ...extra}
}

/** Wall milliseconds of a node process with these arguments; it must end well. */
export function timeNode(args: string[], env: NodeJS.ProcessEnv = {}): number {
  const started = performance.now()
  const run = spawnSync(process.execPath, args, {
    env: benchEnvironment(env),
    cwd: scratch,
    maxBuffer: 1 << 28,
  })
  const ms = performance.now() - started
  if (run.status !== 0)
    throw new Error(`${args.join(' ')} ended with ${String(run.status)}: ${run.stderr.toString()}`)
  return ms
}

/** Peak resident memory of a node process, in bytes. */
export function peakMemory(args: string[], env: NodeJS.ProcessEnv = {}): number {
  const file = join(scratch, `rss-${process.hrtime.bigint().toString()}`)
  timeNode(['--import', RSS_HOOK, ...args], {...env, FELHOM_TEST_RSS_FILE: file})
  return Number(readFileSync(file, 'utf8')) * 1024
}

export interface SandboxProcess {
  url: string
  caFile: string
  tokens: {full: string}
  child: ChildProcess
}

export async function startSandbox(seedFile: string): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [BIN, 'sandbox', '--port', '0', '--seed', seedFile, '--json'], {
    env: benchEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => {
      reject(new Error(`the sandbox ended with ${String(code)}`))
    })
    createInterface({input: child.stdout}).once('line', resolve)
  })
  return {...(JSON.parse(line) as Omit<SandboxProcess, 'child'>), child}
}

export function postJson(sandbox: SandboxProcess, path: string, body: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {method: 'POST', ca: readFileSync(sandbox.caFile), agent: false}
    request(sandbox.url + path, options, (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`${path}: ${String(answer.statusCode)}`))
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}

export const has = (program: string): boolean => spawnSync('which', [program]).status === 0

// felhom as a process under way, alone or behind another program, which can be watched and sent signals.
import {spawn, type ChildProcess} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {BIN, bareEnvironment, type Run} from '../support/felhom.ts'

export interface EndedRun extends Run {
  readonly signal: NodeJS.Signals | null
}

export interface StartedProcess {
  readonly child: ChildProcess
  readonly ended: Promise<EndedRun>
}

export interface Place {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** A program and its arguments that runs felhom. */
  readonly behind?: readonly string[]
}

export function startFelhom(args: readonly string[], {cwd, env, behind = []}: Place): StartedProcess {
  const [program = '', ...rest] = [...behind, process.execPath, BIN, ...args]
  const child = spawn(program, rest, {cwd, env: bareEnvironment(env), stdio: ['ignore', 'pipe', 'pipe']})
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = new Promise<EndedRun>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve({code, signal, stdout, stderr})
    })
  })
  return {child, ended}
}

const PATIENCE_MS = 120_000

/** Looks again and again until it is so; the process that it waits for must not end before. */
export async function untilSo(
  what: string,
  {child, ended}: StartedProcess,
  look: () => Promise<boolean> | boolean,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await look())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      const {stdout, stderr} = await ended
      throw new Error(`felhom ended before ${what}: ${stdout}${stderr}`)
    }
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(20)
  }
}

/** The types of all whole records in the journal of the project, in their order. */
export function readRecordTypes(project: string): string[] {
  try {
    const text = readFileSync(join(project, '.felhom/journal/00000001.log'), 'utf8')
    const lines = text.split('\n').slice(0, -1)
    return lines.map((line) => (JSON.parse(line) as {type: string}).type)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export const countRecords = (project: string, type: string): number =>
  readRecordTypes(project).filter((one) => one === type).length

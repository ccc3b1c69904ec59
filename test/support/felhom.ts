// Runs the built program as a person or a script would, in a directory and an environment of its own.
import {spawn} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

export const BIN = fileURLToPath(new URL('../../bin/run.js', import.meta.url))

export interface Run {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
}

/** Nothing of the developer's own environment that could change an outcome. */
export const bareEnvironment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  XDG_CONFIG_HOME: '/nonexistent',
  ...extra,
})

export function runFelhom(args: string[], {env = {}, cwd = tmpdir()}: RunOptions = {}): Promise<Run> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: bareEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const run: Run = {code: null, stdout: '', stderr: ''}
  child.stdout.on('data', (chunk: Buffer) => (run.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (run.stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      resolve({...run, code})
    })
  })
}

/** A directory for the length of one test. */
export async function inScratch<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, {recursive: true, force: true})
  }
}

// The sandbox as a process of its own, started from the built program, as scripts and CI jobs start it.
import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {request} from 'node:https'
import {readFileSync} from 'node:fs'
import {createInterface} from 'node:readline'
import {BIN, bareEnvironment} from './felhom.ts'

export interface SandboxProcess {
  url: string
  caFile: string
  fingerprint: string
  tokens: {full: string; ro: string}
  pid: number
  child: ChildProcess
  /** The variables that point felhom at it. */
  env: NodeJS.ProcessEnv
  control(body: unknown): Promise<{status: number; text: string}>
  reset(): Promise<void>
  stop(): Promise<number | null>
}

export async function startSandboxProcess(...args: string[]): Promise<SandboxProcess> {
  const child = spawn(process.execPath, [BIN, 'sandbox', '--port', '0', ...args], {
    env: bareEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => {
      reject(new Error(`the sandbox ended with ${String(code)}: ${stderr}`))
    })
    createInterface({input: child.stdout}).once('line', resolve)
  })
  child.removeAllListeners('exit')
  const ready = JSON.parse(line) as Omit<SandboxProcess, 'child' | 'env' | 'control' | 'reset' | 'stop'>
  const post = (path: string, body: unknown): Promise<{status: number; text: string}> =>
    postJson(ready.url + path, ready.caFile, body)
  return {
    ...ready,
    child,
    env: {FELHOM_ENDPOINT: ready.url, FELHOM_TLS__CA: ready.caFile, FELHOM_TOKEN: ready.tokens.full},
    control: (body) => post('/sandbox/control', body),
    reset: async () => {
      await post('/sandbox/reset', {})
    },
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit')) as [number | null]
      return code
    },
  }
}

function postJson(url: string, caFile: string, body: unknown): Promise<{status: number; text: string}> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {method: 'POST', ca: readFileSync(caFile), agent: false, headers: {'Content-Type': 'application/json'}},
      (answer) => {
        let text = ''
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
        answer.on('end', () => {
          resolve({status: answer.statusCode ?? 0, text})
        })
      },
    )
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

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
  /** What it printed when it was ready. */
  readyLine: string
  child: ChildProcess
  /** The variables that point felhom at it. */
  env: NodeJS.ProcessEnv
  control(body: unknown): Promise<{status: number; text: string}>
  /** A call of the API with the full token unless told; throws unless it succeeds. */
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    params?: Record<string, string>,
    token?: string,
  ): Promise<unknown>
  /** Requests since the last reset, by method and route. */
  requests(): Promise<Record<string, number>>
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
  const ready = JSON.parse(line) as Omit<
    SandboxProcess,
    'child' | 'env' | 'control' | 'call' | 'requests' | 'reset' | 'stop'
  >
  const post = (path: string, body: unknown): Promise<{status: number; text: string}> =>
    send('POST', ready.url + path, ready.caFile, {'Content-Type': 'application/json'}, JSON.stringify(body))
  return {
    ...ready,
    readyLine: line,
    child,
    env: {FELHOM_ENDPOINT: ready.url, FELHOM_TLS__CA: ready.caFile, FELHOM_TOKEN: ready.tokens.full},
    control: (body) => post('/sandbox/control', body),
    call: (method, path, params = {}, token = ready.tokens.full) =>
      callApi(ready, token, method, path, params),
    requests: async () => {
      const {text} = await send('GET', `${ready.url}/sandbox/stats`, ready.caFile, {}, undefined)
      return (JSON.parse(text) as {requests: Record<string, number>}).requests
    },
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

async function callApi(
  {url, caFile}: Pick<SandboxProcess, 'url' | 'caFile'>,
  token: string,
  method: string,
  path: string,
  params: Record<string, string>,
): Promise<unknown> {
  const headers = {
    Authorization: `PVEAPIToken=${token}`,
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  const body = method === 'GET' ? undefined : new URLSearchParams(params).toString()
  const {status, text} = await send(method, `${url}/api2/json${path}`, caFile, headers, body)
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`)
  return (JSON.parse(text) as {data: unknown}).data
}

function send(
  method: string,
  url: string,
  caFile: string,
  headers: Record<string, string>,
  body: string | undefined,
): Promise<{status: number; text: string}> {
  return new Promise((resolve, reject) => {
    const call = request(url, {method, ca: readFileSync(caFile), agent: false, headers}, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => {
        resolve({status: answer.statusCode ?? 0, text})
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}

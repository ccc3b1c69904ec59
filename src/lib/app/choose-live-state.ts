// Where the live state of a plan comes from: Proxmox, a capture of it, or a sandbox for this run alone.
import type {ActualCluster} from '../model/actual.ts'
import type {Settings} from '../settings/settings.ts'
import {withProxmox} from './compose.ts'
import {readCapture} from './read-capture.ts'
import {runSandbox} from './run-sandbox.ts'

export interface LiveStateRequest {
  cwd: string
  env: NodeJS.ProcessEnv
  packageRoot: string
  settings: Settings
  capture?: string
  sandbox: boolean
}

export async function readLiveState(request: LiveStateRequest, signal?: AbortSignal): Promise<ActualCluster> {
  const {cwd, env, settings, capture, sandbox} = request
  if (capture !== undefined) return readCapture(cwd, capture)
  if (sandbox) return readSandbox(request)
  return withProxmox(settings, env, ({reader}) => reader.readCluster(), signal)
}

export interface LiveRead {
  /** Settles with the state, or with why it could not be read. */
  readonly state: Promise<ActualCluster>
  /** Nobody waits for it any more: what is under way is cut off. */
  abandon(): void
}

/** Sends the first request now, so that the network works while the files are being read. */
export function startLiveRead(request: LiveStateRequest): LiveRead {
  const giveUp = new AbortController()
  const state = readLiveState(request, giveUp.signal)
  // Whoever awaits it learns of a failure; until then it is no failure that nobody handles.
  state.catch(() => undefined)
  return {
    state,
    abandon: () => {
      giveUp.abort()
    },
  }
}

async function readSandbox({cwd, packageRoot, settings}: LiveStateRequest): Promise<ActualCluster> {
  const sandbox = await runSandbox({cwd, packageRoot, port: 0})
  const {url, caFile, tokens} = sandbox.ready
  const own: Settings = {
    ...settings,
    endpoints: [url],
    tls: {ca: caFile, fingerprints: []},
    token: {env: 'TOKEN'},
  }
  try {
    return await withProxmox(own, {TOKEN: tokens.full}, ({reader}) => reader.readCluster())
  } finally {
    await sandbox.close()
  }
}

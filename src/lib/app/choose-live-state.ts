// Where the live state of a plan comes from: Proxmox, a capture of it, or a sandbox for this run alone.
import type {ActualCluster} from '../model/actual.ts'
import type {Settings} from '../settings/settings.ts'
import {withProxmox, type ProxmoxAccess} from './compose.ts'

export interface LiveStateRequest {
  cwd: string
  env: NodeJS.ProcessEnv
  packageRoot: string
  settings: Settings
  capture?: string
  sandbox: boolean
}

interface Watch {
  signal: AbortSignal
  /** Called when the first request has been handed to the network. */
  onSent: () => void
}

/** The parts that only one source needs are loaded with it: a plan against Proxmox starts without them. */
export async function readLiveState(request: LiveStateRequest, watch?: Watch): Promise<ActualCluster> {
  const {cwd, env, settings, capture, sandbox} = request
  if (capture !== undefined) return (await import('./read-capture.ts')).readCapture(cwd, capture)
  if (sandbox) return readSandbox(request)
  const read = ({reader}: ProxmoxAccess): Promise<ActualCluster> => {
    const cluster = reader.readCluster()
    watch?.onSent()
    return cluster
  }
  return withProxmox(settings, env, read, watch?.signal)
}

export interface LiveRead {
  /** Settles with the state, or with why it could not be read. */
  readonly state: Promise<ActualCluster>
  /** Settles when the network or a file is at work, or nothing is left to wait for: the time for other work. */
  readonly underWay: Promise<void>
  /** Nobody waits for it any more: what is under way is cut off. */
  abandon(): void
}

/** Sends the first request now, so that the network works while the files are being read. */
export function startLiveRead(request: LiveStateRequest): LiveRead {
  const giveUp = new AbortController()
  let sent = (): void => undefined
  const underWay = new Promise<void>((resolve) => {
    sent = resolve
  })
  const state = readLiveState(request, {signal: giveUp.signal, onSent: sent})
  if (request.capture !== undefined || request.sandbox) sent()
  // Whoever awaits it learns of a failure; until then it is no failure that nobody handles.
  state.catch(() => undefined).finally(sent)
  return {
    state,
    underWay,
    abandon: () => {
      giveUp.abort()
    },
  }
}

async function readSandbox({cwd, packageRoot, settings}: LiveStateRequest): Promise<ActualCluster> {
  const {runSandbox} = await import('./run-sandbox.ts')
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

// Where the live state of a plan comes from: Proxmox, a capture of it, or a sandbox for this run alone.
import type {ActualCluster} from '../../model/actual.ts'
import type {Settings} from '../../settings/settings.ts'
import {withProxmox, type ProxmoxAccess, type Watch} from '../compose.ts'

export interface LiveStateRequest {
  cwd: string
  env: NodeJS.ProcessEnv
  packageRoot: string
  settings: Settings
  capture?: string
  sandbox: boolean
}

interface LiveWatch extends Watch {
  /** Called when all that is left to do is the network's: connecting, and then the first request. */
  onAsked: () => void
}

/** The parts that only one source needs are loaded with it: a plan against Proxmox starts without them. */
export async function readLiveState(request: LiveStateRequest, watch?: LiveWatch): Promise<ActualCluster> {
  const {cwd, env, settings, capture, sandbox} = request
  if (capture !== undefined) return (await import('../capture/read-capture.ts')).readCapture(cwd, capture)
  if (sandbox) return readSandbox(request)
  const read = ({reader}: ProxmoxAccess): Promise<ActualCluster> => {
    const cluster = reader.readCluster()
    watch?.onAsked()
    return cluster
  }
  return withProxmox(settings, env, read, watch)
}

export interface LiveRead {
  /** Settles with the state, or with why it could not be read. */
  readonly state: Promise<ActualCluster>
  /** Settles when Proxmox or a file is at work, or nothing is left to wait for: the time for other work. */
  readonly underWay: Promise<void>
  /** Nobody waits for it any more: what is under way is cut off. */
  abandon(): void
}

/**
 * A server that is near has its request by then, and works on it while other things are loaded. One that is far is not
 * waited for: what is loaded meanwhile costs nothing.
 */
const NEAR_MS = 20

/** Sends the first request now, so that the network works while the files are being read. */
export function startLiveRead(request: LiveStateRequest): LiveRead {
  const giveUp = new AbortController()
  let wait: NodeJS.Timeout | undefined
  let sent = (): void => undefined
  const underWay = new Promise<void>((resolve) => {
    sent = () => {
      clearTimeout(wait)
      resolve()
    }
  })
  const onAsked = (): void => {
    wait = setTimeout(sent, NEAR_MS)
  }
  const state = readLiveState(request, {signal: giveUp.signal, onAsked, onLeave: () => sent()})
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

async function readSandbox(request: LiveStateRequest): Promise<ActualCluster> {
  const {withSandbox} = await import('../with-sandbox.ts')
  return withSandbox(request, (own, env) => withProxmox(own, env, ({reader}) => reader.readCluster()))
}

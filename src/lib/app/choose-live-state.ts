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

export function readLiveState(request: LiveStateRequest): Promise<ActualCluster> {
  const {cwd, env, settings, capture, sandbox} = request
  if (capture !== undefined) return Promise.resolve(readCapture(cwd, capture))
  if (sandbox) return readSandbox(request)
  return withProxmox(settings, env, ({reader}) => reader.readCluster())
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

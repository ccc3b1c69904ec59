// Starts the embedded Proxmox for a person, a script or another command, from the example homelab unless a
// seed is named. It reads the seed, and the state file if there is one; nothing leaves this machine.
import {readFileSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {FelhomError} from '../model/felhom-error.ts'
import type {Sandbox} from '../sandbox/index.ts'

export interface SandboxRequest {
  cwd: string
  /** Where the package lies: the example homelab is part of it. */
  packageRoot: string
  port: number
  seedFile?: string
  stateFile?: string
}

/** The line that tells a script all it needs. */
export interface SandboxReady {
  url: string
  caFile: string
  fingerprint: string
  tokens: {full: string; ro: string}
  pid: number
}

export interface RunningSandbox {
  ready: SandboxReady
  guests: number
  nodes: number
  close(): Promise<void>
}

export const EXAMPLE_SEED = 'examples/homelab/sandbox.seed.json'

export async function runSandbox(request: SandboxRequest): Promise<RunningSandbox> {
  const {startSandbox} = await import('../sandbox/index.ts')
  const file = request.seedFile
    ? resolve(request.cwd, request.seedFile)
    : join(request.packageRoot, EXAMPLE_SEED)
  const seed = readSeed(file)
  let sandbox: Sandbox
  try {
    sandbox = await startSandbox({
      port: request.port,
      seed,
      ...(request.stateFile && {stateFile: resolve(request.cwd, request.stateFile)}),
    })
  } catch (error) {
    throw explainFailure(error, request, file)
  }
  return {
    ready: {
      url: sandbox.url,
      caFile: sandbox.caFile,
      fingerprint: sandbox.fingerprint,
      tokens: {full: sandbox.tokens['full'] ?? '', ro: sandbox.tokens['ro'] ?? ''},
      pid: process.pid,
    },
    guests: sandbox.cluster.state.guests.size,
    nodes: sandbox.cluster.state.nodes.length,
    close: async () => {
      try {
        await sandbox.close()
      } catch (error) {
        throw explainFailure(error, request, file)
      }
    },
  }
}

function readSeed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new FelhomError(
      'settings_invalid',
      `the seed ${file} cannot be read: ${(error as Error).message}`,
      {
        cause: error,
        hint: 'A seed is a JSON file; without --seed the example homelab is used.',
      },
    )
  }
}

function explainFailure(error: unknown, request: SandboxRequest, seedFile: string): unknown {
  const {code, name, message} = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new FelhomError('usage', `port ${request.port} is in use`, {
      cause: error,
      hint: 'Choose another, or --port 0 for any free one.',
    })
  }
  if (code === 'EACCES')
    return new FelhomError('usage', `port ${request.port} may not be opened`, {
      cause: error,
      hint: 'Choose one above 1023.',
    })
  if (name === 'SeedError')
    return new FelhomError(
      'settings_invalid',
      `the seed ${seedFile} is not valid: ${message.replace(/^seed: /, '')}`,
      {
        cause: error,
      },
    )
  if (name === 'StateFileError')
    return new FelhomError('settings_invalid', message, {
      cause: error,
      hint: 'Name another file, or remove this one to start anew from the seed.',
    })
  return error
}

// Starts an embedded Proxmox on loopback: HTTPS with a certificate authority of its own, the API over the
// cluster's core, and its own controls under /sandbox. It may touch the network of this machine, a temporary
// directory, and the files that it is told to keep. It guarantees that close() leaves nothing else behind.
import {systemClock, type Clock} from '../clock.ts'
import type {Cluster} from '../cluster.ts'
import type {ClusterState} from '../state.ts'
import {openConnections} from './connections.ts'
import {Faults} from './faults.ts'
import {prepareIdentity} from './identity-files.ts'
import {respond, type Server} from './respond.ts'
import {ServedCluster} from './served-cluster.ts'
import {loadStateFile, StateFile} from './state-file.ts'
import {Stats} from './stats.ts'

export interface SandboxOptions {
  /** 0: any free port. */
  port: number
  seed: unknown
  host?: string
  /** The state is kept there over restarts; a reset goes back to the seed. */
  stateFile?: string
  /** Certificates are kept there; else they are made anew at each start. */
  caDir?: string
  /** After how long an idle connection is dropped; Proxmox: 5 s. */
  idleMs?: number
  clock?: Clock
}

export interface Sandbox {
  url: string
  /** PEM of the certificate authority that clients must trust. */
  caFile: string
  caPem: string
  /** SHA-256 of the server certificate, AB:CD:…. */
  fingerprint: string
  /** By the name that the seed gives a token, else by its id: `user@realm!name=secret`. */
  tokens: Record<string, string>
  /** The cluster of the moment; a reset puts another in its place. */
  readonly cluster: Cluster
  close(): Promise<void>
}

const IDLE_MS = 5000

export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const {port, seed, stateFile, host = '127.0.0.1', idleMs = IDLE_MS, clock = systemClock} = options
  const saved = stateFile === undefined ? undefined : await loadStateFile(stateFile)
  const served = new ServedCluster(seed, clock, saved)
  const keeper = stateFile === undefined ? undefined : new StateFile(stateFile, () => served.cluster.state)
  const {identity, caFile, remove} = await prepareIdentity(options.caDir)
  let connectionsAtReset = 0
  const server: Server = {
    served,
    faults: new Faults(),
    stats: new Stats(),
    connections: () => connections.count - connectionsAtReset,
    onChange: () => keeper?.touch(),
    onReset: () => {
      connectionsAtReset = connections.count
      keeper?.touch()
    },
  }
  const connections = await openConnections({host, port, idleMs, identity}, (request) =>
    respond(server, request),
  ).catch(after(remove))
  await keeper?.open().catch(after(() => connections.close().then(remove)))
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${String(connections.port)}`,
    caFile,
    caPem: identity.caPem,
    fingerprint: identity.fingerprint,
    tokens: namedTokens(seed, served.cluster.state),
    get cluster(): Cluster {
      return served.cluster
    },
    close: async (): Promise<void> => {
      await connections.close()
      served.stop()
      await keeper?.close()
      await remove()
    },
  }
}

/** Cleans up what has been made so far, then fails as before. */
const after =
  (undo: () => Promise<void>) =>
  async (error: unknown): Promise<never> => {
    await undo()
    throw error
  }

function namedTokens(seed: unknown, state: ClusterState): Record<string, string> {
  const listed = (seed as {tokens?: {auth?: unknown; tokenid?: unknown}[]} | null)?.tokens ?? []
  const names = new Map(listed.map(({auth, tokenid}) => [tokenid, auth]))
  return Object.fromEntries(
    state.access.tokens.map(({tokenid, secret}) => {
      const name = names.get(tokenid)
      return [typeof name === 'string' ? name : tokenid, `${tokenid}=${secret}`]
    }),
  )
}

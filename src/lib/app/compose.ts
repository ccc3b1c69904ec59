// The one place where the adapters to Proxmox are constructed. Commands and use cases receive what is made
// here; the heavy packages behind it are loaded only when a command really talks to Proxmox.
import {readFileSync} from 'node:fs'
import tls from 'node:tls'
import {FelhomError} from '../model/felhom-error.ts'
import type {ApiToken} from '../pve/api-token.ts'
import type {Connection, ConnectionOptions, Limits} from '../pve/connection.ts'
import type {Reader} from '../pve/read.ts'
import type {RequestObserver} from '../pve/request-route.ts'
import type {TlsTrust} from '../pve/tls-trust.ts'
import type {Writer} from '../pve/write.ts'
import type {Settings} from '../settings/settings.ts'
import {readToken} from './read-token.ts'

export interface ProxmoxAccess {
  reader: Reader
  /** user@realm!name */
  tokenId: string
  endpoint: string
  close(): Promise<void>
}

/** Of all that is sent: how to end it, and who is told of it. */
export type Watch = Pick<ConnectionOptions, 'signal' | 'observe' | 'onLeave'>

/** Only who carries something out asks for this. */
export interface WritingAccess extends ProxmoxAccess {
  writer: Writer
}

export async function openProxmox(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  watch: Watch = {},
): Promise<ProxmoxAccess> {
  const {connection, ...rest} = await connect(settings, env, watch)
  const {createReader} = await import('../pve/read.ts')
  return {...rest, reader: createReader(connection)}
}

export async function openProxmoxForWriting(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  observe?: RequestObserver,
): Promise<WritingAccess> {
  const {connection, ...rest} = await connect(settings, env, observe && {observe})
  const [{createReader}, {createWriter}] = await Promise.all([
    import('../pve/read.ts'),
    import('../pve/write.ts'),
  ])
  return {...rest, reader: createReader(connection), writer: createWriter(connection)}
}

async function connect(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  watch: Watch = {},
): Promise<Omit<ProxmoxAccess, 'reader'> & {connection: Connection}> {
  const {endpoint, token, trust} = checkAccess(settings, env)
  const {Connection: Http} = await import('../pve/connection.ts')
  const connection = new Http({
    endpoints: settings.endpoints,
    token,
    trust,
    limits: chooseLimits(settings.limits),
    ...watch,
  })
  return {connection, tokenId: token.id, endpoint, close: () => connection.close()}
}

/** What a connection needs, without making one. Throws settings_invalid, token_missing and token_invalid. */
export function checkAccess(
  settings: Settings,
  env: NodeJS.ProcessEnv,
): {readonly endpoint: string; readonly token: ApiToken; readonly trust: TlsTrust} {
  const [endpoint] = settings.endpoints
  if (endpoint === undefined) {
    throw new FelhomError('settings_invalid', 'no endpoint is configured', {
      hint: 'Write endpoint: https://your-node:8006 into felhom.yaml, or set FELHOM_ENDPOINT. Without a Proxmox at hand, try: felhom sandbox',
      doubt: 'Nothing was read and nothing was changed.',
    })
  }
  return {endpoint, token: readToken(settings.token, env), trust: chooseTrust(settings.tls)}
}

/** Retries must end too: together they may take a little more than two deadlines. */
function chooseLimits({reads, writesPerNode, timeoutMs}: Settings['limits']): Partial<Limits> {
  return {
    reads,
    writesPerNode,
    connectTimeoutMs: Math.min(10_000, timeoutMs),
    readTimeoutMs: timeoutMs,
    totalMs: timeoutMs * 2.25,
  }
}

/** Pins, or the cluster's CA, or else the public authorities, for a node with a certificate of theirs. */
function chooseTrust({ca, fingerprints}: Settings['tls']): TlsTrust {
  if (fingerprints.length > 0) return {fingerprints}
  if (ca === undefined) return {ca: tls.rootCertificates.join('\n')}
  try {
    return {ca: readFileSync(ca, 'utf8')}
  } catch (error) {
    throw new FelhomError(
      'settings_invalid',
      `the CA file ${ca} cannot be read (${(error as NodeJS.ErrnoException).code ?? ''})`,
      {
        cause: error,
        hint: 'tls.ca names a copy of /etc/pve/pve-root-ca.pem of the cluster.',
        doubt: 'No request was sent.',
      },
    )
  }
}

/** Opens Proxmox for `work` and closes it again, whatever happens; the signal of `watch` ends it early. */
export async function withProxmox<T>(
  settings: Settings,
  env: NodeJS.ProcessEnv,
  work: (access: ProxmoxAccess) => Promise<T>,
  watch?: Watch,
): Promise<T> {
  const access = await openProxmox(settings, env, watch)
  try {
    return await work(access)
  } finally {
    await access.close()
  }
}

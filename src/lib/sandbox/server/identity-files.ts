// Where the certificates lie: in a fresh private directory that goes with the sandbox, or in one that the
// user names so that clients need to trust it only once.
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {fingerprintOf, makeServerIdentity, type ServerIdentity} from './tls.ts'

export interface StoredIdentity {
  identity: ServerIdentity
  caFile: string
  remove: () => Promise<void>
}

const FILES = {caPem: 'ca.pem', certPem: 'server.pem', keyPem: 'server.key'} as const

export async function prepareIdentity(caDir: string | undefined): Promise<StoredIdentity> {
  if (caDir === undefined) {
    const identity = await makeServerIdentity()
    const directory = await mkdtemp(path.join(tmpdir(), 'felhom-sandbox-'))
    const caFile = path.join(directory, FILES.caPem)
    await writeFile(caFile, identity.caPem, {mode: 0o600})
    return {identity, caFile, remove: () => rm(directory, {recursive: true, force: true})}
  }
  const identity = (await readIdentity(caDir)) ?? (await storeIdentity(caDir))
  return {identity, caFile: path.join(caDir, FILES.caPem), remove: () => Promise.resolve()}
}

async function readIdentity(directory: string): Promise<ServerIdentity | undefined> {
  const read = (name: string): Promise<string> => readFile(path.join(directory, name), 'utf8')
  try {
    const [caPem, certPem, keyPem] = await Promise.all([
      read(FILES.caPem),
      read(FILES.certPem),
      read(FILES.keyPem),
    ])
    return {caPem, certPem, keyPem, fingerprint: fingerprintOf(certPem)}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function storeIdentity(directory: string): Promise<ServerIdentity> {
  const identity = await makeServerIdentity()
  await mkdir(directory, {recursive: true, mode: 0o700})
  for (const key of ['keyPem', 'certPem', 'caPem'] as const) {
    await writeFile(path.join(directory, FILES[key]), identity[key], {mode: 0o600})
  }
  return identity
}

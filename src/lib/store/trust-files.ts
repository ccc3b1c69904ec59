// The files of the trust store: `<N>.json` and `<N>.sigs.json` for every version, and at most one proposal for the
// next. It says nothing about what is in them, only that nobody but us and root can have put it there.
import {existsSync, mkdirSync, readdirSync, rmSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {checkTrustedDirectory, readTrustedFile, untrusted} from './check-trusted.ts'
import {replaceFile} from './replace-file.ts'

const MAX_BYTES = 64 * 1024
const MAX_SIGNATURES_BYTES = 512 * 1024
/** A rotation a day for 27 years. */
const MAX_VERSIONS = 10_000
const VERSION_NAME = /^([1-9]\d{0,5})\.json$/
const PUBLIC_FILE = 0o644

export interface TrustVersion {
  readonly version: number
  readonly bytes: Uint8Array
  readonly signatures: Uint8Array
}

/** A version that may come to be: signatures are still being collected. */
export interface TrustProposal extends TrustVersion {
  /** Where the bytes lie that must be signed. */
  readonly file: string
}

export class TrustFiles {
  readonly dir: string

  constructor(dir: string) {
    this.dir = dir
  }

  /** Every version from 1 on, without a gap. Throws trust_unsafe. */
  read(): Promise<readonly TrustVersion[]> {
    return new Promise((done) => done(this.#readAll()))
  }

  #readAll(): TrustVersion[] {
    const dir = checkTrustedDirectory(this.dir)
    const last = Math.max(0, ...findVersions(dir))
    if (last === 0)
      throw untrusted(`there is no version 1 in ${dir}`, 'Make a trust store with: felhom gate trust init')
    if (last > MAX_VERSIONS) throw untrusted(`${dir} holds version ${last}`, 'See who wrote it.')
    return Array.from({length: last}, (_, index) => ({
      version: index + 1,
      bytes: readPresent(join(dir, `${index + 1}.json`), MAX_BYTES),
      signatures: readPresent(join(dir, `${index + 1}.sigs.json`), MAX_SIGNATURES_BYTES),
    }))
  }

  /** Undefined if none is open. Throws trust_unsafe. */
  readProposal(version: number): TrustProposal | undefined {
    if (!existsSync(this.dir)) return undefined
    const dir = checkTrustedDirectory(this.dir)
    const file = proposalFile(dir, version)
    const bytes = readTrustedFile(file, MAX_BYTES)
    const signatures = readTrustedFile(signaturesFile(file), MAX_SIGNATURES_BYTES)
    return bytes && signatures && {version, bytes, signatures, file}
  }

  /** Where it was written. */
  writeProposal({version, bytes, signatures}: TrustVersion): string {
    this.#make()
    const file = proposalFile(checkTrustedDirectory(this.dir), version)
    writeBoth(file, bytes, signatures)
    return file
  }

  dropProposal(version: number): void {
    const file = proposalFile(this.dir, version)
    for (const path of [file, signaturesFile(file)]) rmSync(path, {force: true})
  }

  /** Never in the place of another. */
  writeVersion({version, bytes, signatures}: TrustVersion): void {
    writeBoth(this.requireFree(version), bytes, signatures)
  }

  /** The file for a version that is not there yet. Throws trust_unsafe. */
  requireFree(version: number): string {
    const file = join(checkTrustedDirectory(this.dir), `${version}.json`)
    if (!existsSync(file)) return file
    throw untrusted(`${file} is there already`, 'Another felhom was faster; look: felhom gate trust show')
  }

  #make(): void {
    let above = this.dir
    while (!existsSync(above)) above = dirname(above)
    checkTrustedDirectory(above)
    tryWriting(this.dir, () => mkdirSync(this.dir, {mode: 0o755, recursive: true}))
  }
}

/** Signatures first: what has none yet is not believed. */
function writeBoth(file: string, bytes: Uint8Array, signatures: Uint8Array): void {
  tryWriting(file, () => {
    replaceFile(signaturesFile(file), toText(signatures), PUBLIC_FILE)
    replaceFile(file, toText(bytes), PUBLIC_FILE)
  })
}

function tryWriting(path: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    const {code = String(error)} = error as NodeJS.ErrnoException
    throw untrusted(`${path} cannot be written (${code})`, 'Do it as the owner of the trust store.', error)
  }
}

const proposalFile = (dir: string, version: number): string => join(dir, `${version}.proposal.json`)

const signaturesFile = (file: string): string => file.replace(/\.json$/, '.sigs.json')

function findVersions(dir: string): number[] {
  return readdirSync(dir).flatMap((name) => {
    const [, version] = VERSION_NAME.exec(name) ?? []
    return version === undefined ? [] : [Number(version)]
  })
}

function readPresent(path: string, maxBytes: number): Buffer {
  const bytes = readTrustedFile(path, maxBytes)
  if (!bytes) throw untrusted(`${path} is missing`, 'Every version from 1 on must be there; put it back.')
  return bytes
}

const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

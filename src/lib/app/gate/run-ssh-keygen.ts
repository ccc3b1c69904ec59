// Signs with the operator's own ssh-keygen, so that file keys, agents and hardware keys all work alike and no private
// key is ever read here. It writes the bytes into a directory that nobody else can reach, and believes the signature
// only after our own verifier did.
import {spawn} from 'node:child_process'
import {lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import {judgeSignature} from '../../gate/judge-signature.ts'
import {FelhomError} from '../../model/felhom-error.ts'

export interface SigningRequest {
  /** A private key, or a public one whose private half lies beside it or in the agent. */
  readonly key: string
  readonly namespace: string
  readonly bytes: Uint8Array
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  /** Ends ssh-keygen. */
  readonly signal?: AbortSignal
}

export interface MadeSignature {
  readonly armoured: string
  /** Of the key that really signed: the agent may hold another than its file says. */
  readonly keyBlob: Buffer
  readonly fingerprint: string
}

/** Throws signing_failed. */
export async function signWithSshKeygen(request: SigningRequest): Promise<MadeSignature> {
  const key = resolve(request.cwd ?? process.cwd(), request.key)
  if (!lstatSync(key, {throwIfNoEntry: false}))
    throw failed(`there is no key ${key}`, 'Name a private key, or the .pub file of one in the agent.')
  // Fresh for every signature: beside an old FILE.sig ssh-keygen would keep that one and call it a success.
  const dir = mkdtempSync(join(tmpdir(), 'felhom-sign-'))
  try {
    const file = join(dir, 'statement')
    writeFileSync(file, request.bytes, {mode: 0o600, flag: 'wx'})
    // Quiet about its temporary files; what it must ask, it asks all the same.
    await run(['-q', '-Y', 'sign', '-f', key, '-n', request.namespace, file], request)
    const armoured = readSignature(`${file}.sig`, key)
    const judged = judgeSignature(armoured, request.namespace, request.bytes)
    if ('problem' in judged) throw failed(`what ssh-keygen made with ${key} does not hold: ${judged.problem}`)
    return {armoured, ...judged}
  } finally {
    rmSync(dir, {recursive: true, force: true})
  }
}

function readSignature(file: string, key: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw failed(`ssh-keygen wrote no signature with ${key}`, undefined, error)
  }
}

/** PINs and passphrases are asked for on the terminal; with the statement on stdin they would be read from it. */
function run(args: readonly string[], {env = process.env, signal}: SigningRequest): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn('ssh-keygen', args, {stdio: [0, 2, 2], env, ...(signal && {signal})})
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (signal?.aborted)
        fail(new FelhomError('interrupted', 'the signing was interrupted', {doubt: UNTOUCHED}))
      else if (error.code === 'ENOENT')
        fail(failed('ssh-keygen was not found', 'Install the OpenSSH client, or sign elsewhere.', error))
      else fail(failed('ssh-keygen could not be started', undefined, error))
    })
    child.once('close', (code, killed) => {
      if (code === 0) done()
      else fail(failed(`ssh-keygen ended with ${code ?? killed}`, 'What it said stands above.'))
    })
  })
}

const UNTOUCHED = 'Nothing was signed and nothing was written.'

const failed = (message: string, hint?: string, cause?: unknown): FelhomError =>
  new FelhomError('signing_failed', message, {doubt: UNTOUCHED, ...(hint !== undefined && {hint}), cause})

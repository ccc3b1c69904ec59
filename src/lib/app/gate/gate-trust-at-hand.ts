// Which keys sign here and now: those that were named for it, and new ones whose private half lies beside them or is
// in the agent.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {resolve} from 'node:path'
import {promisify} from 'node:util'
import {readPublicKey, type NamedKey} from './gate-trust-key.ts'

const AGENT_TIMEOUT_MS = 5000

export interface SigningChoice {
  readonly cwd: string
  /** Named to sign with. */
  readonly keys: readonly string[]
  /** Sign with the new keys too, where they can. */
  readonly signAtHand: boolean
  readonly env: NodeJS.ProcessEnv
}

/** Each once: nobody is asked twice for the same PIN. */
export async function chooseKeys(
  added: readonly NamedKey[],
  {cwd, keys, signAtHand, env}: SigningChoice,
): Promise<string[]> {
  if (!signAtHand) return [...keys]
  const named = new Set(keys.map((key) => findPublicText(resolve(cwd, key))))
  const others = added.filter(({entry}) => !named.has(entry.keyText))
  return [...(await findKeysAtHand(others, env)), ...keys]
}

/** Undefined where only ssh-keygen could tell. */
function findPublicText(key: string): string | undefined {
  try {
    return readPublicKey(key.endsWith('.pub') ? key : `${key}.pub`).line
  } catch {
    return undefined
  }
}

/** The files of those that can. */
async function findKeysAtHand(keys: readonly NamedKey[], env: NodeJS.ProcessEnv): Promise<string[]> {
  const inAgent = await listAgentKeys(env)
  const isAtHand = ({file, entry}: NamedKey): boolean =>
    (file.endsWith('.pub') && existsSync(file.slice(0, -'.pub'.length))) || inAgent.has(entry.keyText)
  return keys.filter(isAtHand).map(({file}) => file)
}

/** Without an agent, or one that does not answer, none. */
async function listAgentKeys(env: NodeJS.ProcessEnv): Promise<ReadonlySet<string>> {
  if (!env['SSH_AUTH_SOCK']) return new Set()
  try {
    const {stdout} = await promisify(execFile)('ssh-add', ['-L'], {env, timeout: AGENT_TIMEOUT_MS})
    return new Set(stdout.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')))
  } catch {
    return new Set()
  }
}

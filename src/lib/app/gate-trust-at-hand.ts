// Whether a public key can sign here and now: its private half lies beside it, or the agent holds it.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {promisify} from 'node:util'
import type {NamedKey} from './gate-trust-key.ts'

const AGENT_TIMEOUT_MS = 5000

/** The files of those that can. */
export async function findKeysAtHand(keys: readonly NamedKey[], env: NodeJS.ProcessEnv): Promise<string[]> {
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

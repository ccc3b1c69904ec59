// A sandbox for the length of one command, with a state directory of its own: nothing of it stays.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Settings} from '../settings/settings.ts'

export interface SandboxPlace {
  readonly cwd: string
  readonly packageRoot: string
  readonly settings: Settings
}

/** `work` gets settings and an environment that point at the sandbox. */
export async function withSandbox<T>(
  {cwd, packageRoot, settings}: SandboxPlace,
  work: (settings: Settings, env: NodeJS.ProcessEnv) => Promise<T>,
): Promise<T> {
  const {runSandbox} = await import('./run-sandbox.ts')
  const sandbox = await runSandbox({cwd, packageRoot, port: 0})
  const state = mkdtempSync(join(tmpdir(), 'felhom-state-'))
  const {url, caFile, tokens} = sandbox.ready
  const own: Settings = {
    ...settings,
    endpoints: [url],
    tls: {ca: caFile, fingerprints: []},
    token: {env: 'TOKEN'},
    state,
  }
  try {
    return await work(own, {TOKEN: tokens.full})
  } finally {
    await sandbox.close()
    rmSync(state, {recursive: true, force: true})
  }
}

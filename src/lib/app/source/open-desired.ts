// Which provider the desired state comes from: what the command line names, else what the settings name.
import {join} from 'node:path'
import {FilesProvider} from '../../desired/files-provider.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {DesiredSource} from '../../settings/settings.ts'
import type {DesiredProvider} from '../ports.ts'

export interface DesiredRequest {
  cwd: string
  /** Named on the command line; `-` is standard input. */
  paths: readonly string[]
  /** The setting `desired`. */
  setting: DesiredSource | undefined
  /** The setting `secrets`: without it, a desired state from git or https may name none. */
  secrets?: string | undefined
  /** For git, which finds its keys by it. */
  env?: NodeJS.ProcessEnv
  extensions?: Extensions
  /** Whoever is asked may take a minute; absent: nobody breaks it off. */
  signal?: AbortSignal
}

/** With a sandbox for this run alone: the desired state of its homelab, where nobody names another. */
export const exampleDesired = (packageRoot: string): DesiredSource => ({
  paths: [join(packageRoot, 'examples/homelab/guests.yaml')],
})

export function openDesired({
  cwd,
  paths,
  setting,
  secrets: secretsDir,
  env = process.env,
  extensions,
  signal,
}: DesiredRequest): DesiredProvider {
  if (paths.length > 0) return openFiles(paths, cwd)
  if (setting === undefined) {
    throw new FelhomError('usage', 'no desired state is named', {
      hint: 'Name a file or a directory, or write desired: guests/ into felhom.yaml.',
      doubt: 'Nothing was read and nothing was changed.',
    })
  }
  if ('paths' in setting) return openFiles(setting.paths, cwd)
  const open = async (): Promise<Required<DesiredProvider>> => {
    const {SourceProvider} = await import('./source-provider.ts')
    const more = {...(extensions && {extensions}), ...(signal && {signal})}
    return new SourceProvider({setting, cwd, secretsDir, env, ...more})
  }
  let provider: ReturnType<typeof open> | undefined
  return {
    load: async () => (await (provider ??= open())).load(),
    approvals: async () => (await (provider ??= open())).approvals(),
  }
}

function openFiles(paths: readonly string[], cwd: string): DesiredProvider {
  const files = new FilesProvider(paths, {cwd})
  return {
    load: () => files.load(),
    approvals: async () => {
      const {readApprovalsBeside} = await import('../gate/carried-approvals.ts')
      return readApprovalsBeside(paths, cwd)
    },
  }
}

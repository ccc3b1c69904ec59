// The token as the unit gets it: root may read where its credential comes from, and so doctor can try it.
import {accessSync, constants} from 'node:fs'
import {basename, dirname, join} from 'node:path'
import type {TokenSource} from '../../settings/settings.ts'
import {findUnits} from '../systemd/installed-units.ts'

/** The environment with the credential of an installed unit, if the settings want it and it can be read here. */
export function borrowCredential(
  source: TokenSource | undefined,
  env: NodeJS.ProcessEnv,
  root = '/',
): NodeJS.ProcessEnv {
  if (!source || !('credential' in source) || env['CREDENTIALS_DIRECTORY']) return env
  const credential = findUnits(root)
    .flatMap(({credentials}) => credentials)
    .find(
      ({name, path}) => name === source.credential && basename(path) === name && isReadable(join(root, path)),
    )
  return credential ? {...env, CREDENTIALS_DIRECTORY: dirname(join(root, credential.path))} : env
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

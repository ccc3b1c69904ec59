// Looks at the files felhom depends on: who may read and change them.
import {lstatSync, statSync} from 'node:fs'
import {isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import type {LoadedSettings} from '../../settings/load-settings.ts'
import type {TokenSource} from '../../settings/settings.ts'
import {findUnits, findUnitUid} from '../systemd/installed-units.ts'
import {UNIT_USER} from '../systemd/render-units.ts'
import {findToken} from '../read-token.ts'
import {quoteForShell} from './quote-for-shell.ts'

export function checkSettings({files, diagnostics}: LoadedSettings): Finding {
  const base = {id: 'settings', title: 'Settings'}
  if (diagnostics.length > 0) {
    const [first] = diagnostics
    const place = first ? [first.file, first.line].filter((p) => p !== undefined).join(':') : ''
    const count = diagnostics.length === 1 ? 'a mistake in' : `${diagnostics.length} mistakes, the first in`
    const detail = `${count} ${place}: ${first?.message ?? ''}`
    return {...base, verdict: 'mend', detail, commands: ['felhom config show']}
  }
  const loose = files.filter((file) => ((statSync(file, {throwIfNoEntry: false})?.mode ?? 0) & 0o022) !== 0)
  if (loose.length > 0) {
    const commands = loose.map((file) => `chmod go-w ${quoteForShell(file)}`)
    return {...base, verdict: 'mend', detail: `others may change ${loose.join(', ')}`, commands}
  }
  return {
    ...base,
    verdict: 'ok',
    detail: files.length === 0 ? 'no settings file; flags and variables only' : files.join(', '),
  }
}

export function checkToken(source: TokenSource | undefined, env: NodeJS.ProcessEnv): Finding {
  const base = {id: 'token', title: 'API token'}
  try {
    const {token, place} = findToken(source, env)
    return {...base, verdict: 'ok', detail: `${token.id}, from ${place}`}
  } catch (error) {
    if (!isFelhomError(error)) throw error
    return {
      ...base,
      verdict: 'mend',
      detail: error.message,
      ...(error.hint !== undefined && {advice: error.hint}),
    }
  }
}

export function checkStateDirectory(path: string): Finding {
  const base = {id: 'state', title: 'State directory'}
  const stat = lstatSync(path, {throwIfNoEntry: false})
  if (!stat) return {...base, verdict: 'ok', detail: `${path} will be made at the first apply`}
  if (stat.isSymbolicLink() || !stat.isDirectory())
    return {...base, verdict: 'mend', detail: `${path} is not a directory`, advice: 'Move it away.'}
  if (belongsToDaemon(path))
    return {
      ...base,
      verdict: 'note',
      detail: `${path} is the daemon's: what is in it is seen by the user ${UNIT_USER} alone`,
      commands: [`runuser -u ${UNIT_USER} -- felhom journal verify`],
    }
  const own = process.getuid?.() ?? 0
  if (stat.uid !== own)
    return {
      ...base,
      verdict: 'mend',
      detail: `${path} belongs to uid ${stat.uid}`,
      commands: [`chown -R ${own} ${quoteForShell(path)}`],
    }
  if ((stat.mode & 0o077) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    return {
      ...base,
      verdict: 'mend',
      detail: `${path} has mode ${mode}`,
      commands: [`chmod 700 ${quoteForShell(path)}`],
    }
  }
  return {...base, verdict: 'ok', detail: path}
}

/** Whether it is of the user that an installed unit runs as, and this is another. `root`: `/` but for tests. */
export function belongsToDaemon(path: string, root = '/'): boolean {
  const uid = lstatSync(path, {throwIfNoEntry: false})?.uid
  if (uid === undefined || uid === (process.getuid?.() ?? 0)) return false
  return findUnits(root).length > 0 && uid === findUnitUid(root)
}

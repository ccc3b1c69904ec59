// What `plugins.allow` means to a daemon that has started: code is loaded once, and cannot be unloaded.
import {FelhomError} from '../../model/felhom-error.ts'

/** Throws settings_invalid unless both name the same plugins. */
export function refuseOtherPlugins(loaded: readonly string[], allow: readonly string[]): void {
  const added = [...new Set(allow)].filter((name) => !loaded.includes(name))
  const dropped = [...new Set(loaded)].filter((name) => !allow.includes(name))
  if (added.length + dropped.length === 0) return
  const changes = [...added.map((name) => `+${name}`), ...dropped.map((name) => `-${name}`)].join(', ')
  throw new FelhomError(
    'settings_invalid',
    `plugins.allow has changed (${changes}), and plugins are loaded only when the daemon starts: restart it`,
  )
}

/** A warning about what is installed and takes no part; undefined: there is nothing. */
export function describeLeftOut(installed: readonly string[], allow: readonly string[]): string | undefined {
  const names = [...new Set(installed)].filter((name) => !allow.includes(name)).sort()
  if (names.length === 0) return undefined
  return `installed, but not loaded, because plugins.allow does not name ${names.length === 1 ? 'it' : 'them'}: ${names.join(', ')}`
}

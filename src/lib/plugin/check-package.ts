// What of a package felhom would run without ever asking it: told before it is installed, and again when it is loaded.

export const REGISTER_HOOK = 'felhom:register'

/** Under `oclif` in its package.json. */
export interface OclifSection {
  readonly hooks?: unknown
  readonly plugins?: unknown
}

/** A clause; undefined: there is nothing against it. */
export function findObjection({hooks, plugins}: OclifSection): string | undefined {
  const other = Object.keys(hooks ?? {}).find((hook) => hook !== REGISTER_HOOK)
  if (other !== undefined)
    return `it hooks into ${JSON.stringify(other)}; felhom offers ${REGISTER_HOOK} alone`
  // Nobody has installed those: their rules would not be asked, nor would the daemon's list be heard.
  const hasOwn = Array.isArray(plugins) ? plugins.length > 0 : plugins !== undefined
  return hasOwn ? 'it brings plugins of its own; each has to be installed by itself' : undefined
}

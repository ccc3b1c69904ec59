// The address on a request line, taken apart as Proxmox's HTTP server does: what looks like a host in front of
// the path is dropped, and escaped bytes of the path are undone before it is split.

export interface RequestTarget {
  /** Unescaped, one character per byte. */
  path: string
  /** Still escaped; empty when there is none. */
  query: string
}

export function readTarget(url: string): RequestTarget {
  const [, path = '', query = ''] = /^(?:[^:/?#]+:)?(?:\/\/[^/?#]*)?([^?#]*)\??([^#]*)/s.exec(url) ?? []
  return {path: unescapeBytes(path), query}
}

export interface ApiPath {
  /** The first folder below /api2: json, extjs, …. */
  format: string
  path: string
}

/** undefined: not a path of the API. A line end at the end of the path is overlooked, elsewhere it is not. */
export function splitApiPath(path: string): ApiPath | undefined {
  const [, format, rest] = /^\/api2\/+([a-z][a-z0-9]+)(\/[^\n]*)?\n?$/.exec(path) ?? []
  return format === undefined ? undefined : {format, path: rest ?? '/'}
}

export function unescapeBytes(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

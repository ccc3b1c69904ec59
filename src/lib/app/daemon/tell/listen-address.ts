// Where the daemon may listen, and whom it answers. Loopback needs no token, but then anything that a browser on the
// same machine can be led to could ask too: the Host header must be an address of loopback.
import {BlockList, isIP} from 'node:net'
import {FelhomError} from '../../../model/felhom-error.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

export function readListenAddress(listen: string): ListenAddress {
  const colon = listen.lastIndexOf(':')
  const port = Number(listen.slice(colon + 1))
  const host = listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  if (colon > 0 && host !== '' && Number.isInteger(port) && port <= 65_535) return {host, port}
  throw new FelhomError('settings_invalid', `daemon.listen is no address: ${listen}`, {
    hint: 'Write host:port, such as 127.0.0.1:9610.',
    doubt: 'The daemon was not started.',
  })
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

export function isLoopback(host: string): boolean {
  if (isIP(host) === 0) return host === 'localhost'
  return LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4')
}

/** `localhost:9610`, `127.0.0.1`, `[::1]:9610`; a name of somebody's own may lead here too, and is refused. */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  const host = /^(\[[0-9a-f:]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(header ?? '')?.[1]
  return host !== undefined && isLoopback(host.replace(/^\[(.*)\]$/, '$1').toLowerCase())
}

/** Throws where others could ask without a token. */
export function demandToken({host}: ListenAddress, listen: string, token: string | undefined): void {
  if (token !== undefined || isLoopback(host)) return
  throw new FelhomError(
    'settings_invalid',
    `daemon.listen is ${listen}, which others can reach, and there is no token`,
    {
      hint: 'Put a long random text into a file of mode 0600 and name it as daemon.listen_token, or listen on 127.0.0.1.',
      doubt: 'Nothing listens, and the daemon was not started.',
    },
  )
}

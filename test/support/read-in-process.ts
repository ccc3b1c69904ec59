// The real reader on a sandbox without HTTP: the live state as felhom would read it, in no time.
import type {ActualCluster} from '../../src/lib/model/actual.ts'
import type {ReadConnection} from '../../src/lib/pve/connection.ts'
import {proxmoxError} from '../../src/lib/pve/errors.ts'
import {pathWithQuery} from '../../src/lib/pve/paths.ts'
import {createReader} from '../../src/lib/pve/read.ts'
import {FULL_TOKEN, type InProcessSandbox} from './in-process-sandbox.ts'

export function readInProcess(sandbox: InProcessSandbox, token = FULL_TOKEN): Promise<ActualCluster> {
  // Virtual time belongs to one call at a time.
  let last: Promise<unknown> = Promise.resolve()
  const connection: ReadConnection = {
    get: (path, query) => {
      const next = last.then(() =>
        sandbox.get(pathWithQuery(path, query).replace(/^\/api2\/json/, ''), token),
      )
      last = next.catch(() => undefined)
      return next.then(({status, reason, data}) => {
        if (status === 200) return {data}
        throw proxmoxError({status, reason, body: ''}, `GET ${path}`, (text) => text)
      })
    },
  }
  return createReader(connection).readCluster()
}

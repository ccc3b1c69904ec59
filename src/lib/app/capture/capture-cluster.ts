// Live state as one file, without its secrets: for planning in CI without credentials, and for reports of
// bugs.
import type {ActualCluster} from '../../model/actual.ts'
import type {Reader} from '../../pve/read.ts'
import {redactCluster} from './redact-cluster.ts'

export interface Capture {
  felhomCapture: 1
  takenAt: string
  proxmox: {version: string}
  /** The options whose values were left out, wherever they stood. */
  redacted: string[]
  cluster: ActualCluster
}

export async function captureCluster(
  reader: Pick<Reader, 'version' | 'readCluster'>,
  now: () => Date,
): Promise<Capture> {
  const [{version}, actual] = await Promise.all([reader.version(), reader.readCluster()])
  const {cluster, redacted} = redactCluster(actual)
  return {felhomCapture: 1, takenAt: now().toISOString(), proxmox: {version}, redacted, cluster}
}

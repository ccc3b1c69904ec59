// The settings of a simulated daemon, complete as the program has them, and the few real files that they name: a trust
// store, and a directory for what is not on the simulated disk.
import {existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {hashTrust} from '../../src/lib/gate/trust-document.ts'
import type {Settings} from '../../src/lib/settings/settings.ts'
import {anna, DAY_MS, rita, signer, trustFile} from '../support/gate-bench.ts'
import type {World} from './world.ts'

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

const baseSettings = (state: string, trust: {dir: string; genesis: string}): Settings => ({
  endpoints: ['https://pve1:8006'],
  token: undefined,
  tls: {ca: undefined, fingerprints: []},
  desired: undefined,
  state,
  trust,
  approvals: undefined,
  secrets: undefined,
  gate: {maxDestroy: 3},
  limits: {reads: 2, writesPerNode: 1, timeoutMs: 30_000, taskTimeoutMs: 10 * MINUTE_MS},
  recover: {settleMs: 45_000},
  daemon: {
    intervalMs: MINUTE_MS,
    jitter: 0.1,
    mode: 'full',
    outside: 'observe',
    windows: [],
    maxShrink: 0.2,
    staleAfterMs: HOUR_MS,
    backOffMaxMs: 15 * MINUTE_MS,
    stopTimeoutMs: 20_000,
    trustWarningMs: 30 * 24 * HOUR_MS,
    keepMs: 6 * HOUR_MS,
    outcomes: undefined,
    listen: undefined,
    listenToken: undefined,
    webhookUrl: undefined,
    webhookToken: undefined,
  },
  plugins: {allow: []},
})

/** In memory where there is such a place: a month syncs some files a hundred thousand times. */
const scratchPlace = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

export async function inDaemonPlace<T>({clock}: World, work: (base: Settings) => Promise<T>): Promise<T> {
  const root = mkdtempSync(join(scratchPlace(), 'felhom-days-'))
  try {
    const state = join(root, 'state')
    mkdirSync(state, {mode: 0o700})
    return await work(baseSettings(state, layTrust(join(root, 'trust'), clock.now())))
  } finally {
    rmSync(root, {recursive: true, force: true})
  }
}

/** As `gate trust init` leaves it. */
function layTrust(dir: string, nowMs: number): {dir: string; genesis: string} {
  const expiresMs = Math.ceil(nowMs / DAY_MS) * DAY_MS + 300 * DAY_MS
  const {bytes, signatures} = trustFile(
    {expiresMs, signers: [signer('anna', anna), signer('rita', rita, 'recovery')]},
    [anna, rita],
  )
  mkdirSync(dir, {mode: 0o755})
  writeFileSync(join(dir, '1.json'), bytes, {mode: 0o644})
  writeFileSync(join(dir, '1.sigs.json'), signatures, {mode: 0o644})
  return {dir, genesis: hashTrust(bytes)}
}

// The daemon's real world: Proxmox, the state directory, the source and the gate, as the settings name them.
import {isFelhomError} from '../../model/felhom-error.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {Settings} from '../../settings/settings.ts'
import {readSuspensions} from '../../store/suspensions.ts'
import {systemDisk} from '../../store/system-disk.ts'
import {timeSyncs, type SyncObserver} from '../../store/timed-disk.ts'
import type {RequestObserver} from '../../pve/request-route.ts'
import {auditSuspensions, SHORT_LOCK_MS} from '../suspend/audit-suspensions.ts'
import {openProxmoxForWriting} from '../compose.ts'
import {findTrust} from '../gate/gate-trust-store.ts'
import {openGate} from '../gate/open-gate.ts'
import {openState} from '../state/open-state.ts'
import {rulesOf} from '../plugins/plugin-rules.ts'
import {createInspector} from '../gate/signature-state.ts'
import {systemClock} from '../system-clock.ts'
import {keepMemory, memoryFile} from './keep-memory.ts'
import {openKeeper} from './source/open-keeper.ts'
import type {PassWorld, Told} from './pass-world.ts'

export interface WorldRequest {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly stop: AbortSignal
  readonly extensions: Extensions
  readonly tell: (event: Told) => void
  readonly observeRequest: RequestObserver
  readonly observeSync: SyncObserver
  /** The loop has moved. */
  readonly progress: () => void
}

export interface DaemonWorld {
  readonly pass: PassWorld
}

/** An operator beside the daemon is waited for; somebody who stays longer is left to the next pass. */
const LOCK_TIMEOUT_MS = 30_000
const HOLDER = 'felhom daemon'

export function openDaemonWorld(request: WorldRequest): DaemonWorld {
  const {settings, env, stop, tell, extensions, progress} = request
  const rules = rulesOf(extensions, process.cwd())
  const disk = timeSyncs(systemDisk, request.observeSync)
  const warn = (text: string): void => {
    tell({type: 'warning', text})
  }
  const pass: PassWorld = {
    ...{settings, env, stop, tell, extensions, clock: systemClock},
    keeper: openKeeper({settings, env, extensions, clock: systemClock, progress}),
    memory: keepMemory(memoryFile(settings.state), warn),
    openAccess: () => openProxmoxForWriting(settings, env, request.observeRequest),
    openState: async ({endpoint, tokenId}) => {
      const state = await openState({
        dir: settings.state,
        identity: {endpoint, tokenId},
        holder: HOLDER,
        lockTimeoutMs: LOCK_TIMEOUT_MS,
        onWait: (holder) => {
          tell({type: 'waiting_for_lock', holder})
        },
        signal: stop,
        ...{warn, disk},
      })
      try {
        await auditSuspensions(state, {holder: HOLDER, signal: stop, lockTimeoutMs: SHORT_LOCK_MS})
        return state
      } catch (error) {
        // Somebody stopped in the middle of it keeps no pass from being made.
        if (isFelhomError(error, 'journal_locked')) {
          warn(error.message)
          return state
        }
        await state.close()
        throw error
      }
    },
    openGate: ({state, access, carried, withhold}) =>
      Promise.resolve(
        openGate({
          settings,
          stores: state,
          snapshots: access.reader,
          approvalFiles: [],
          disarmed: () => state.journal.disarmed(),
          journal: state.journal,
          ...{warn, carried, withhold, rules},
        }),
      ),
    openInspector: (gate) => createInspector(gate, settings, rules),
    readSuspensions: () => readSuspensions(settings.state, systemClock.now()),
    readTrust: () => findTrust(settings, systemClock.now()),
  }
  return {pass}
}

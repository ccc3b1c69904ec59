// The use case behind `felhom recover`: the state directory locked, readers of Proxmox, and every open operation
// settled as far as it can be. It is given no way to send anything.
import type {Clock} from '../../engine/ports.ts'
import {recover, type RecoverResult} from '../../engine/recover.ts'
import type {Settings} from '../../settings/settings.ts'
import {withProxmox} from '../compose.ts'
import {withState} from '../state/open-state.ts'
import {systemClock} from '../system-clock.ts'

export type {RecoverResult}

export interface RecoverRequest {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly lockTimeoutMs: number
  /** How long it may wait in all for what is not yet decided. */
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly warn: (text: string) => void
  /** Told once, before it first waits for longer than a moment. */
  readonly onWait: () => void
  readonly onLocked: (holder: string) => void
}

export function recoverState(request: RecoverRequest): Promise<RecoverResult> {
  const {settings, env, lockTimeoutMs, waitMs, signal, warn} = request
  return withProxmox(
    settings,
    env,
    async ({reader, tokenId, endpoint}) => {
      // Recover has patience with a node that does not answer; with none that does, it would learn nothing.
      await reader.listNodes()
      return withState(
        {
          dir: settings.state,
          identity: {endpoint, tokenId},
          holder: 'felhom recover',
          lockTimeoutMs,
          warn,
          signal,
          onWait: request.onLocked,
        },
        ({journal}) =>
          recover({
            reader,
            journal,
            clock: tellingOfWaits(systemClock, request.onWait),
            tokenId,
            settleMs: settings.recover.settleMs,
            waitMs,
            signal,
          }),
      )
    },
    {signal},
  )
}

const MOMENT_MS = 900

function tellingOfWaits(clock: Clock, tell: () => void): Clock {
  let sleptMs = 0
  return {
    now: () => clock.now(),
    sleep: (ms, signal) => {
      if (sleptMs <= MOMENT_MS && sleptMs + ms > MOMENT_MS) tell()
      sleptMs += ms
      return clock.sleep(ms, signal)
    },
  }
}

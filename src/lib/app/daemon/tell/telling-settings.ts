// What of the settings says how people are told, with the tokens read from their files.
import type {Settings} from '../../../settings/settings.ts'
import type {AlertOptions} from './find-alerts.ts'
import type {HealthLimits} from './health.ts'
import {alertsFile} from './keep-alerts.ts'
import {readBearerToken} from './read-bearer-token.ts'

export interface TellingSettings {
  readonly mode: Settings['daemon']['mode']
  readonly health: HealthLimits
  readonly alerts: AlertOptions
  /** Where is kept what was told. */
  readonly memory: string
  readonly outcomes?: string
  readonly server?: {readonly listen: string; readonly token?: string}
  readonly webhook?: {readonly url: string; readonly token?: string}
}

/** Throws settings_invalid. */
export function readTellingSettings({daemon, limits, state}: Settings, listens: boolean): TellingSettings {
  const listenToken = readBearerToken('daemon.listen_token', listens ? daemon.listenToken : undefined)
  const webhookToken = readBearerToken('daemon.webhook.token', daemon.webhookToken)
  const {mode, intervalMs, jitter, staleAfterMs, trustWarningMs, outcomes, listen, webhookUrl} = daemon
  return {
    mode,
    health: {intervalMs, jitter, taskTimeoutMs: limits.taskTimeoutMs},
    alerts: {staleAfterMs, trustWarningMs},
    memory: alertsFile(state),
    ...(outcomes !== undefined && {outcomes}),
    ...(listens &&
      listen !== undefined && {server: {listen, ...(listenToken !== undefined && {token: listenToken})}}),
    ...(webhookUrl !== undefined && {
      webhook: {url: webhookUrl, ...(webhookToken !== undefined && {token: webhookToken})},
    }),
  }
}

// Looks at the settings of the daemon: whether it would start with them, and what it would be allowed to do.
import {FelhomError, isFelhomError} from '../../model/felhom-error.ts'
import type {Finding} from '../../model/health.ts'
import {showDuration} from '../../report/journal-times.ts'
import type {LoadedSettings} from '../../settings/load-settings.ts'
import type {Settings} from '../../settings/settings.ts'
import {readPrivateFile} from '../../store/private-file.ts'
import {demandToken, isLoopback, readListenAddress} from '../daemon/tell/listen-address.ts'
import {Windows} from '../daemon/windows.ts'

/** No finding where nothing is set for it. */
export function checkDaemon({settings, entries}: LoadedSettings): Finding[] {
  const isSet = [...entries].some(([key, {origin}]) => key.startsWith('daemon.') && origin.from !== 'default')
  if (!isSet) return []
  const base = {id: 'daemon', title: 'Daemon'}
  const {daemon} = settings
  const checks = [() => new Windows(daemon.windows), () => checkListen(daemon), () => checkWebhook(daemon)]
  const troubles = checks.flatMap((check): Finding[] => {
    try {
      check()
      return []
    } catch (error) {
      if (!isFelhomError(error)) throw error
      const {message, hint} = error
      return [{...base, verdict: 'mend', detail: message, ...(hint !== undefined && {advice: hint})}]
    }
  })
  return troubles.length > 0 ? troubles : [{...base, verdict: 'ok', detail: describeDaemon(daemon)}]
}

function checkListen({listen, listenToken}: Settings['daemon']): void {
  if (listen === undefined) return
  demandToken(readListenAddress(listen), listen, listenToken)
  if (listenToken !== undefined) checkSecret('daemon.listen_token', listenToken)
}

function checkWebhook({webhookUrl, webhookToken}: Settings['daemon']): void {
  if (webhookToken === undefined || webhookUrl === undefined) return
  checkSecret('daemon.webhook.token', webhookToken)
  const {protocol, hostname} = new URL(webhookUrl)
  if (protocol === 'https:' || isLoopback(hostname.replaceAll(/[[\]]/g, ''))) return
  throw refusal(
    `daemon.webhook.token would be sent to ${hostname} without encryption`,
    'Use an https address for daemon.webhook.url.',
  )
}

const MOST_SECRET_BYTES = 4096

function checkSecret(key: string, path: string): void {
  const read = readPrivateFile(path, {maxBytes: MOST_SECRET_BYTES, mayGroupRead: true})
  if ('problem' in read) throw refusal(`${key}: ${read.problem}`, read.mend)
}

const refusal = (message: string, hint: string): FelhomError =>
  new FelhomError('settings_invalid', message, {hint, doubt: 'Nothing was changed.'})

function describeDaemon({
  mode,
  intervalMs,
  windows,
  outside,
  listen,
  webhookUrl,
}: Settings['daemon']): string {
  const bounds =
    windows.length === 0
      ? ''
      : ` (outside of ${windows.length === 1 ? 'its window' : 'its windows'}: ${outside})`
  return [
    `mode ${mode}${bounds}, every ${showDuration(intervalMs)}`,
    ...(listen === undefined ? [] : [`metrics on ${listen}`]),
    ...(webhookUrl === undefined ? [] : [`alerts to ${new URL(webhookUrl).host}`]),
  ].join(', ')
}

// Waits for the code of a plugin, but not for ever. The timer also keeps a process alive that has nothing else to wait
// for: Node would end it in silence.
import {refuse} from '../plugin/extensions.ts'

/** For a plugin to be loaded, and again for it to register. */
export const LOAD_TIMEOUT_MS = 10_000

/** Throws plugin_failed: the plugin `name` did not `what` in time; or the reason of `signal`. */
export async function inTime<T>(
  name: string,
  what: string,
  work: Promise<T>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  let giveUp = (): void => undefined
  const late = new Promise<never>((_, reject) => {
    giveUp = () => {
      reject(signal?.reason as Error)
    }
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp)
    timer = setTimeout(() => {
      reject(refuse(name, `it did not ${what} within ${timeoutMs / 1000} s`))
    }, timeoutMs)
  })
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  })
}

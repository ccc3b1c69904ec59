// Every call of a plugin's code passes here: it has a time limit, and whatever goes wrong carries the plugin's name.
// What a plugin does not answer is never taken for an answer.
import {FelhomError} from '../model/felhom-error.ts'
import type {PluginContext} from './contract.ts'
import {describeThrown} from './describe-thrown.ts'
import type {Extension} from './extensions.ts'

export interface CallOptions {
  /** For messages: `rule`. */
  readonly point: string
  readonly timeoutMs: number
  /** What relative paths are relative to. */
  readonly dir: string
  readonly signal?: AbortSignal
}

/** Throws plugin_failed, or the reason of `signal`. */
export async function callPlugin<T, R>(
  {plugin, name, run}: Extension<T>,
  work: (run: T, context: PluginContext) => R | Promise<R>,
  {point, timeoutMs, dir, signal}: CallOptions,
): Promise<R> {
  const over = new AbortController()
  const end = (): void => over.abort(signal?.reason)
  signal?.addEventListener('abort', end, {once: true})
  const timer = setTimeout(
    () => over.abort(new Error(`it did not answer within ${timeoutMs / 1000} s`)),
    timeoutMs,
  )
  try {
    signal?.throwIfAborted()
    const answer = Promise.resolve().then(() => work(run, {signal: over.signal, dir}))
    return await Promise.race([answer, rejectAt(over.signal)])
  } catch (error) {
    signal?.throwIfAborted()
    const why = describeThrown(error)
    throw new FelhomError('plugin_failed', `the ${point} ${name} of the plugin ${plugin} failed: ${why}`, {
      cause: error,
      hint: 'Mend or update the plugin, or remove it with: felhom plugins remove',
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
  }
}

const rejectAt = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), {once: true})
  })

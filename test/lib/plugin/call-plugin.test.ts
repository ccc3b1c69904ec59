import {expect} from 'chai'
import {callPlugin} from '../../../src/lib/plugin/call-plugin.ts'
import {rejection} from '../../support/reject.ts'

const extension = <T>(run: T): {plugin: string; name: string; run: T} => ({
  plugin: 'felhom-plugin-x',
  name: 'one',
  run,
})
const options = {point: 'rule', timeoutMs: 60_000, dir: '/srv'}

describe('calling a plugin', () => {
  it('hands over what it answers, at once or later', async () => {
    expect(await callPlugin(extension(1), (run) => run + 1, options)).to.equal(2)
    expect(await callPlugin(extension(1), (run) => Promise.resolve(run + 2), options)).to.equal(3)
  })

  it('gives it a directory and a signal that nobody has aborted', async () => {
    const seen = await callPlugin(extension(0), (_, {dir, signal}) => [dir, signal.aborted], options)
    expect(seen).to.deep.equal(['/srv', false])
  })

  for (const [title, work] of [
    [
      'throws',
      () => {
        throw new Error('no luck')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no luck'))],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    ['throws what is no error', () => Promise.reject('no luck')],
  ] as const)
    it(`names one that ${title}`, async () => {
      const error = await rejection(callPlugin(extension(0), work, options))
      expect(error).to.include({
        code: 'plugin_failed',
        message: 'the rule one of the plugin felhom-plugin-x failed: no luck',
      })
    })

  it('names one that throws what cannot be shown', async () => {
    const work = (): never => {
      throw Object.create(null)
    }
    const error = await rejection(callPlugin(extension(0), work, options))
    expect(error.message).to.match(/felhom-plugin-x failed: it threw something that cannot be shown$/)
  })

  it('names one that hangs, and tells it to give up', async () => {
    let signal: AbortSignal | undefined
    const hang = (_: unknown, context: {signal: AbortSignal}): Promise<never> => {
      signal = context.signal
      return new Promise(() => undefined)
    }
    const error = await rejection(callPlugin(extension(0), hang, {...options, timeoutMs: 1}))
    expect(error.message).to.match(/felhom-plugin-x failed: it did not answer within 0\.001 s/)
    expect(signal?.aborted).to.equal(true)
  })

  it('takes no answer that came when it had given up', async () => {
    const late = (_: unknown, {signal}: {signal: AbortSignal}): Promise<string> =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('late'))
      })
    const error = await rejection(callPlugin(extension(0), late, {...options, timeoutMs: 1}))
    expect(error.code).to.equal('plugin_failed')
  })

  it('ends with the reason of whoever waits, not with a failure of the plugin', async () => {
    const reason = new Error('the daemon ends')
    const controller = new AbortController()
    const work = (): Promise<never> => {
      controller.abort(reason)
      return new Promise(() => undefined)
    }
    const waiting = {...options, signal: controller.signal}
    expect(await callPlugin(extension(0), work, waiting).catch((error: unknown) => error)).to.equal(reason)
    let asked = false
    const ask = (): void => void (asked = true)
    expect(await callPlugin(extension(0), ask, waiting).catch((error: unknown) => error)).to.equal(reason)
    expect(asked).to.equal(false)
  })
})

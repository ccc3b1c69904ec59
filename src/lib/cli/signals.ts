// Signals as promises. Waiting for one keeps the process alive.
import {onOrderedEnd} from './ordered-end.ts'

export function untilSignal(...signals: NodeJS.Signals[]): Promise<void> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => undefined, 1 << 30)
    const end = (): void => {
      clearInterval(keepAlive)
      forget()
      resolve()
    }
    const forget = onOrderedEnd(end)
    for (const signal of signals) process.once(signal, end)
  })
}

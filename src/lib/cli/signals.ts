// Signals as promises. Waiting for one keeps the process alive.

export function untilSignal(...signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => undefined, 1 << 30)
    for (const signal of signals) {
      process.once(signal, () => {
        clearInterval(keepAlive)
        resolve(signal)
      })
    }
  })
}

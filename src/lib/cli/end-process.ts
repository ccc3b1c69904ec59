// The end of a process that holds code of others: a timer or a connection that a plugin left open would keep it alive
// after the last answer.

/** Ends with process.exitCode, once all that was printed has reached whoever reads it, however slowly. */
export async function endProcess(): Promise<never> {
  await Promise.all([flush(process.stdout), flush(process.stderr)])
  process.exit()
}

/** What is written is written in order: once this empty text is through, so is all before it. */
const flush = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else
      stream.write('', () => {
        resolve()
      })
  })

// The questions that felhom asks. They are asked on stderr and answered on a terminal only, with the whole word, so
// that neither a pipe nor a key pressed too often approves anything.
import {createInterface} from 'node:readline'

/** Somebody can read the question and answer it. */
export const canAsk = (): boolean => process.stdin.isTTY && process.stderr.isTTY

/** Whether the answer was `yes`. */
export const askForYes = (question: string, signal: AbortSignal): Promise<boolean> =>
  askForWord(question, 'yes', signal)

/** Whether the answer was this word. The end of input is a no; `signal` ends the question with its reason. */
export function askForWord(question: string, word: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted()
  process.stderr.write(question)
  // The terminal itself does the editing, so that Ctrl-C stays the signal that it is.
  const lines = createInterface({input: process.stdin, terminal: false})
  const answer = new Promise<boolean>((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason as Error)
      lines.close()
    }
    signal.addEventListener('abort', giveUp)
    let isAnswered = false
    lines.once('line', (line) => {
      isAnswered = true
      resolve(line.trim() === word)
      lines.close()
    })
    // Of a promise only the first word counts: after an answer this one is not heard.
    lines.once('close', () => {
      signal.removeEventListener('abort', giveUp)
      // Whatever is said next does not belong on the line of the question.
      if (!isAnswered) process.stderr.write('\n')
      resolve(false)
    })
  })
  // What was opened to read the answer shall not keep the process alive.
  return answer.finally(() => process.stdin.unref())
}

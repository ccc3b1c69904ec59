// One message to systemd through `systemd-notify`: Node has no datagram sockets of the file system. It is bounded, and
// nobody waits for it.
import {spawn} from 'node:child_process'

const CHILD_TIMEOUT_MS = 10_000

/** `end` is called exactly once, maybe at once; nothing is thrown: memory for another process may be short. */
export function runSystemdNotify(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  end: (hasArrived: boolean) => void,
): void {
  let isOver = false
  const endOnce = (hasArrived: boolean): void => {
    if (isOver) return
    isOver = true
    end(hasArrived)
  }
  try {
    const child = spawn('systemd-notify', [`--pid=${process.pid}`, ...words], {
      env,
      stdio: 'ignore',
      timeout: CHILD_TIMEOUT_MS,
      killSignal: 'SIGKILL',
    })
    child.on('error', () => {
      endOnce(false)
    })
    child.once('close', (code) => {
      endOnce(code === 0)
    })
    child.unref()
  } catch {
    endOnce(false)
  }
}

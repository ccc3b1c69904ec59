// felhom behind strace, which counts its system calls and strikes at the one that was asked for. With one thread for
// all that the event loop hands out, what is counted per thread is counted per process. strace ends as what it
// watches ended: by the same signal or with the same code.
import {startFelhom, type EndedRun, type Place} from './started-process.ts'

export interface Strike {
  /** A system call as strace names it. */
  readonly call: string
  /** `signal=SIGKILL:when=3`, `error=EIO:when=3+`. */
  readonly what: string
}

export const killAt = (call: string, n: number): Strike => ({call, what: `signal=SIGKILL:when=${n}`})
/** From the n-th on. */
export const failFrom = (call: string, error: string, n: number): Strike => ({
  call,
  what: `error=${error}:when=${n}+`,
})

export function runStruck(args: readonly string[], {call, what}: Strike, place: Place): Promise<EndedRun> {
  const behind = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    `trace=${call}`,
    '-e',
    `inject=${call}:${what}`,
  ]
  return startFelhom(args, {...place, behind, env: {...place.env, UV_THREADPOOL_SIZE: '1'}}).ended
}

// A file system of a few kilobytes for a state directory, in a mount namespace of its own, so that nothing of it is
// seen or left outside. Root needs no more; others get a user namespace too, where the machine allows it.
import {spawn, spawnSync, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'

export interface SmallDisk {
  /** nsenter and its arguments: runs a command where the small disk can be seen. */
  readonly enter: readonly string[]
  close(): Promise<void>
}

const isRoot = process.getuid?.() === 0
const UNSHARE = ['unshare', ...(isRoot ? ['--mount'] : ['--map-root-user', '--mount'])]

export const canMount = (): boolean =>
  spawnSync(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

/** Mounts `bytes` at `path`, with mode 0700. */
export async function mountSmallDisk(path: string, bytes: number): Promise<SmallDisk> {
  const script = `mount -t tmpfs -o size=${bytes},mode=700 tmpfs "$0" && echo mounted && exec sleep infinity`
  const holder = spawn(UNSHARE[0] ?? '', [...UNSHARE.slice(1), 'sh', '-c', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await mounted(holder)
  const enter = ['nsenter', '--target', String(holder.pid), '--mount']
  return {
    enter: isRoot ? enter : [...enter, '--user', '--preserve-credentials'],
    close: async () => {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    },
  }
}

function mounted(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    holder.once('error', reject)
    holder.once('exit', (code) => {
      reject(new Error(`the small disk could not be mounted: ${String(code)}`))
    })
    if (holder.stdout)
      createInterface({input: holder.stdout}).once('line', () => {
        resolve()
      })
  })
}

// A real systemd with felhom installed for the whole system, in namespaces of its own: an overlay of this machine's
// files, a network that is loopback alone, and a branch of the control groups. Nothing of it is left when it is closed.
import {spawn, spawnSync, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {setTimeout as sleep} from 'node:timers/promises'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Outside: a branch of the control groups, which is removed when all that is in it has ended. */
const OUTER = `
set -eu
mount -t cgroup2 none /mnt
branch=/mnt/felhom-$$
mkdir "$branch"
echo $$ > "$branch/cgroup.procs"
unshare --mount --pid --fork --uts --ipc --net --cgroup --kill-child=SIGKILL bash -c "$INNER" &
child=$!
trap 'kill -9 $child' TERM
{ wait $child || wait $child || true; } 2>/dev/null
echo $$ > /mnt/cgroup.procs
for try in 1 2 3 4 5 6 7 8 9; do
  find "$branch" -depth -type d -exec rmdir {} + 2>/dev/null && break
  sleep 0.2
done
`

const INNER = `
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
cd /mnt/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for dir in run tmp var/tmp; do mount -t tmpfs tmpfs $dir; done
mount --rbind /dev dev
bind() { if [ -d "$1" ]; then mkdir -p "$2"; else mkdir -p "$(dirname "$2")"; [ -e "$2" ] || touch "$2"; fi; mount --bind "$1" "$2"; }
[ "$NODE" = /usr/bin/node ] || bind "$NODE" usr/bin/node
for part in bin dist examples node_modules package.json oclif.manifest.json; do
  bind "$(realpath "$PACKAGE/$part")" usr/lib/node_modules/felhom/$part
done
ln -sf /usr/lib/node_modules/felhom/bin/run.js usr/bin/felhom
# Of this machine's own services none is wanted here.
rm -rf etc/systemd/system etc/felhom
mkdir -p etc/systemd/system old
ln -s /usr/lib/systemd/system/basic.target etc/systemd/system/default.target
pivot_root . old
umount -l /old
mount --make-rshared /
cd /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/lib/systemd/systemd --log-target=null --show-status=no
`

export interface InsideRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class BootedSystemd {
  readonly #outer: ChildProcess
  #pid = 0

  private constructor(outer: ChildProcess) {
    this.#outer = outer
  }

  /** undefined: this machine allows no such thing. */
  static async boot(): Promise<BootedSystemd | undefined> {
    if (!canBoot()) return undefined
    const env = {...process.env, INNER, NODE: process.execPath, PACKAGE: ROOT}
    const args = ['--mount', 'bash', '-c', OUTER]
    const outer = spawn('unshare', args, {env, stdio: ['ignore', 'ignore', 'inherit']})
    const booted = new BootedSystemd(outer)
    await booted.#untilRunning()
    return booted
  }

  /** As root, in bash, until it has ended. */
  run(script: string): Promise<InsideRun> {
    const enter = [
      '-t',
      String(this.#pid),
      '--mount',
      '--pid',
      '--uts',
      '--ipc',
      '--net',
      '--cgroup',
      '--root',
      '--wd',
    ]
    const clean = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LC_ALL=C.UTF-8']
    const child = spawn('nsenter', [...enter, ...clean, 'bash', '-c', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        resolve({code, stdout, stderr})
      })
    })
  }

  async close(): Promise<void> {
    if (this.#outer.exitCode !== null) return
    this.#outer.kill('SIGTERM')
    await once(this.#outer, 'exit')
  }

  async #untilRunning(): Promise<void> {
    for (let tries = 0; tries < 300; tries++) {
      if (this.#outer.exitCode !== null) throw new Error(`systemd was not started: ${this.#outer.exitCode}`)
      this.#pid = findInit(this.#outer.pid ?? 0)
      if (this.#pid > 0) {
        const {stdout} = await this.run('systemctl is-system-running')
        if (/running|degraded/.test(stdout)) return
      }
      await sleep(100)
    }
    await this.close()
    throw new Error('systemd did not come up')
  }
}

/** The first process inside: the child of the inner unshare. 0: not yet. */
function findInit(outer: number): number {
  const init = childOf(childOf(outer))
  return init > 0 && readProc(`${init}/comm`).trim() === 'systemd' ? init : 0
}

const childOf = (pid: number): number =>
  pid > 0 ? Number.parseInt(readProc(`${pid}/task/${pid}/children`), 10) || 0 : 0

function readProc(path: string): string {
  try {
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return ''
  }
}

function canBoot(): boolean {
  const script = `
    mount -t cgroup2 none /mnt && mkdir /mnt/felhom-try-$$ && rmdir /mnt/felhom-try-$$ && umount /mnt &&
    mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/m &&
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/m &&
    test -x /usr/lib/systemd/systemd && unshare --net --pid --fork true`
  return process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'bash', '-c', script]).status === 0
}

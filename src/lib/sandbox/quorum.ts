// Without quorum the cluster file system is read-only: what would write to it fails, what only reads or
// signals a process goes on.
import type {Call} from './call.ts'
import {die} from './pve-error.ts'

const GOES_ON = [
  // Refuses by itself, in the words of the lock on user.cfg.
  /^\/access\//,
  /\/lxc\/\{vmid\}\/status\/(stop|shutdown|suspend|resume)$/,
  /\/qemu\/\{vmid\}\/status\/(stop|shutdown|reset|reboot|suspend|resume)$/,
  /^\/nodes\/\{node\}\/tasks\//,
  /^\/nodes\/\{node\}\/(storage|status|time|network|aplinfo)\b/,
]

export function requireQuorum(call: Call): void {
  if (call.cluster.state.quorate || call.method === 'GET') return
  if (GOES_ON.some((pattern) => pattern.test(call.route))) return
  die('cluster not ready - no quorum?')
}

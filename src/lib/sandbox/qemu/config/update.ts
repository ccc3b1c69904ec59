// PUT and POST of a machine's config. Checks first, then the config lock, then option by option; a running machine
// takes over what it can, a stopped one everything. PUT answers when that is done, POST with the task that does it.
import {applyPending, type ApplyErrors} from './apply-pending.ts'
import {hasPending, loadConf, storeConf, type QemuConf} from './conf.ts'
import {hotplugPending} from './hotplug.ts'
import {parseMemory} from './memory.ts'
import {readUpdate, type UpdateRequest} from './update-request.ts'
import {writeOptions} from './write-options.ts'
import {configDigest} from '../../guest/config-file.ts'
import {cleanupPending, unset} from '../../guest/pending.ts'
import {die, paramError} from '../../pve-error.ts'
import type {Call, Params} from '../../call.ts'
import type {Guest} from '../../state.ts'

type Log = (line: string) => void

/** PUT: everything is done when the answer comes. */
export async function updateNow(call: Call, params: Params = call.params): Promise<null> {
  const request = readUpdate(call, params)
  checkConfig(call, request, false)
  await lockAndUpdate(call, request, () => undefined)
  return null
}

/** POST: a task does it; the answer is its id, or null where it ended well within `background_delay`. */
export async function updateInTask(call: Call): Promise<string | null> {
  const {cluster, principal} = call
  const request = readUpdate(call, call.params)
  checkConfig(call, request, false)
  const {node, vmid} = request
  const upid = cluster.tasks.start(node, 'qmconfig', String(vmid), principal.authid, (task) =>
    lockAndUpdate(call, request, (line) => {
      task.log(line)
    }),
  )
  return request.backgroundDelaySeconds > 0 ? waitBriefly(call, request, upid) : upid
}

async function waitBriefly(call: Call, request: UpdateRequest, upid: string): Promise<string | null> {
  const {clock, tasks} = call.cluster
  const deadline = clock.now() + request.backgroundDelaySeconds * 1000
  while (clock.now() < deadline) {
    const status = tasks.find(upid)?.exitstatus
    if (status === 'OK' || status?.startsWith('WARNINGS')) return null
    if (status !== undefined) die(`failed to update VM ${String(request.vmid)}: ${status}`)
    await clock.sleep(100)
  }
  return upid
}

async function lockAndUpdate(call: Call, request: UpdateRequest, log: Log): Promise<void> {
  const errors = await call.cluster.locks.withLock('qemu', request.vmid, () => update(call, request, log))
  if (Object.keys(errors).length > 0) paramError(errors)
}

function update(call: Call, request: UpdateRequest, log: Log): ApplyErrors {
  const guest = checkConfig(call, request, true)
  log(`update VM ${String(request.vmid)}: ${request.summary}`)
  const work = {cluster: call.cluster, node: request.node, vmid: request.vmid, subject: call, log}
  const modified = writeOptions(work, guest, request)
  const conf = loadConf(guest)
  if (dropIdle(conf)) storeConf(guest, conf)
  if (!hasPending(conf)) return {}
  return guest.runtime.status === 'running'
    ? hotplugPending(work, guest, modified)
    : applyPending(work, guest)
}

/** Drops what would change nothing; says whether there was any. */
function dropIdle(conf: QemuConf): boolean {
  const count = (): number => Object.keys(conf.pending).length + Object.keys(conf.pendingDelete).length
  const before = count()
  cleanupPending(conf)
  return count() !== before
}

/** The checks that need the config; they come once before the lock and once under it. */
function checkConfig(call: Call, request: UpdateRequest, isLocked: boolean): Guest {
  const guest = call.cluster.requireGuest('qemu', request.node, request.vmid)
  if (request.digest !== undefined && request.digest !== configDigest(guest)) {
    die('checksum mismatch (file change by other user?)')
  }
  const conf = loadConf(guest)
  if (request.deletions.includes('vmstate')) releaseSuspended(conf, request, isLocked)
  const {lock} = conf.config
  if (lock !== undefined && !request.skipLock) die(`VM is locked (${lock})`)
  takeBack(conf, request, isLocked)
  checkBalloon(conf, request)
  return guest
}

/** Whoever throws the saved state away ends the suspension with it. */
function releaseSuspended(conf: QemuConf, request: UpdateRequest, isLocked: boolean): void {
  const isSuspended = conf.config['lock'] === 'suspended'
  if (isSuspended) unset(conf.config, 'lock')
  if (!isLocked) return
  if (isSuspended) request.deletions.push('lock')
  for (const option of ['runningmachine', 'runningcpu', 'running-nets-host-mtu']) {
    if (conf.config[option] !== undefined) request.deletions.push(option)
  }
}

/** To revert is to set the current value again, or to delete what only waits. */
function takeBack(conf: QemuConf, request: UpdateRequest, isLocked: boolean): void {
  for (const option of request.reversions) {
    const current = conf.config[option]
    if (current !== undefined) request.settings[option] = current
    else if (conf.pending[option] !== undefined && isLocked) request.deletions.push(option)
  }
}

function checkBalloon(conf: QemuConf, {settings}: UpdateRequest): void {
  if (settings['memory'] === undefined && settings['balloon'] === undefined) return
  const maximum = parseMemory(settings['memory'] ?? conf.pending['memory'] ?? conf.config['memory'])
  const balloon = settings['balloon'] ?? conf.pending['balloon'] ?? conf.config['balloon']
  if (Number(balloon ?? 0) > maximum) die('balloon value too large (must be smaller than assigned memory)')
}

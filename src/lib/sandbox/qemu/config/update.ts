// PUT and POST of a machine's config. Under the config lock first the checks, then option by option; a running
// machine takes over what it can, a stopped one everything. PUT answers when that is done, POST with its task.
import {applyPending} from './apply-pending.ts'
import {hasPending, loadConf, storeConf, type QemuConf} from './conf.ts'
import {isTrue} from './drive.ts'
import {hotplugPending} from './hotplug.ts'
import {parseMemory} from './memory.ts'
import {readUpdate, type UpdateRequest} from './update-request.ts'
import {writeOptions} from './write-options.ts'
import {configDigest} from '../../guest/config-file.ts'
import {cleanupPending, unset} from '../../guest/pending.ts'
import {die, paramError} from '../../pve-error.ts'
import type {Call, Params} from '../../call.ts'
import type {Guest} from '../../state.ts'
import type {TaskContext} from '../../tasks/task-runner.ts'

type Log = (line: string) => void

/** PUT: everything is done when the answer comes. */
export async function updateNow(call: Call, params: Params = call.params): Promise<null> {
  const request = readUpdate(call, params)
  await call.cluster.locks.withLock('qemu', request.vmid, () => {
    update(call, checkConfig(call, request), request, () => undefined)
  })
  return null
}

/** The same as a part of a task that holds the config lock already. */
export function updateUnderLock(call: Call, params: Params, log: Log): void {
  const request = readUpdate(call, params)
  update(call, checkConfig(call, request), request, log)
}

/** POST: a task does it; the answer is its id, or null where it ended well within `background_delay`. */
export async function updateInTask(call: Call): Promise<string | null> {
  const request = readUpdate(call, call.params)
  const upid = await startLocked(call, request)
  return request.backgroundDelaySeconds > 0 ? waitBriefly(call, request, upid) : upid
}

/** The call waits for the config lock and does the checks; the task inherits the lock and keeps it to its end. */
function startLocked(call: Call, request: UpdateRequest): Promise<string> {
  const {locks} = call.cluster
  return new Promise((resolve, reject) => {
    const work = (): Promise<void> => new Promise((release) => resolve(fork(call, request, release)))
    locks.withLock('qemu', request.vmid, work).catch(reject)
  })
}

function fork(call: Call, request: UpdateRequest, release: () => void): string {
  const {cluster, principal} = call
  const guest = checkConfig(call, request)
  let hasBegun = false
  const work = (task: TaskContext): void => {
    hasBegun = true
    try {
      update(call, guest, request, (line) => {
        task.log(line)
      })
    } finally {
      release()
    }
  }
  const {node, vmid} = request
  const upid = cluster.tasks.start(node, 'qmconfig', String(vmid), principal.authid, work)
  // A task that is stopped before its first step never gets to release anything.
  void cluster.clock.sleep(1).then(() => {
    if (!hasBegun) release()
  })
  return upid
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

/** Under the config lock, with the checks done. */
function update(call: Call, guest: Guest, request: UpdateRequest, log: Log): void {
  log(`update VM ${String(request.vmid)}: ${request.summary}`)
  const work = {cluster: call.cluster, node: request.node, vmid: request.vmid, subject: call, log}
  const modified = writeOptions(work, guest, request)
  const conf = loadConf(guest)
  if (dropIdle(conf)) storeConf(guest, conf)
  if (!hasPending(conf)) return
  const isRunning = guest.runtime.status === 'running'
  const errors = isRunning ? hotplugPending(work, guest, modified) : applyPending(work, guest)
  if (Object.keys(errors).length > 0) paramError(errors)
}

/** Drops what would change nothing; says whether there was any. */
function dropIdle(conf: QemuConf): boolean {
  const count = (): number => Object.keys(conf.pending).length + Object.keys(conf.pendingDelete).length
  const before = count()
  cleanupPending(conf)
  return count() !== before
}

/** The checks that need the config; what follows from it is added to the request. */
function checkConfig(call: Call, request: UpdateRequest): Guest {
  const guest = call.cluster.requireGuest('qemu', request.node, request.vmid)
  if (isTrue(request.digest) && request.digest !== configDigest(guest)) {
    die('checksum mismatch (file change by other user?)')
  }
  const conf = loadConf(guest)
  if (request.deletions.includes('vmstate')) releaseSuspended(conf, request)
  const {lock} = conf.config
  if (lock !== undefined && !request.skipLock) die(`VM is locked (${lock})`)
  takeBack(conf, request)
  checkBalloon(conf, request)
  return guest
}

/** Whoever throws the saved state away ends the suspension with it. */
function releaseSuspended(conf: QemuConf, request: UpdateRequest): void {
  if (conf.config['lock'] === 'suspended') {
    unset(conf.config, 'lock')
    request.deletions.push('lock')
  }
  for (const option of ['runningmachine', 'runningcpu', 'running-nets-host-mtu']) {
    if (conf.config[option] !== undefined) request.deletions.push(option)
  }
}

/** To revert is to set the current value again, or to delete what only waits. */
function takeBack(conf: QemuConf, request: UpdateRequest): void {
  for (const option of request.reversions) {
    const current = conf.config[option]
    if (current !== undefined) request.settings[option] = current
    else if (conf.pending[option] !== undefined) request.deletions.push(option)
  }
}

function checkBalloon(conf: QemuConf, {settings}: UpdateRequest): void {
  if (settings['memory'] === undefined && settings['balloon'] === undefined) return
  const maximum = parseMemory(settings['memory'] ?? conf.pending['memory'] ?? conf.config['memory'])
  const balloon = settings['balloon'] ?? conf.pending['balloon'] ?? conf.config['balloon']
  if (Number(balloon ?? 0) > maximum) die('balloon value too large (must be smaller than assigned memory)')
}

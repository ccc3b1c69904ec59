// Turns a seed, the JSON that describes a cluster before anything happens, into the sandbox's state.
// It touches nothing but its argument. A seed that it accepts is complete; else it throws a SeedError that
// names the place.
//
// There are two forms. The recorded one is what a real node's API said of itself (keys node, guests with
// rawConfig, …) and carries no `format`. The compact one is for people:
//
//   format    "felhom-sandbox-seed/1"
//   time      when all of this is true (ISO 8601)
//   cluster   {name (absent: a standalone node), quorate, localNode, version, options: datacenter.cfg}
//   nodes     [{name, ip, cpus, memory: "32G", bridges: {vmbr0: "10.0.0.11/24" | null}, online, uptimeDays}]
//   storages  [{storage, type, nodes: [] (absent: all), shared, size, used, config: storage.cfg,
//               files: {"iso/x.iso": "600M"}}]
//   guests    [{kind, vmid, node, running, config, pending, pendingDelete: [], snapshots: {name: {snaptime,
//               parent, description, config}}}]; every volume that a config names is made, by its size=
//   backups   [{storage, vmid, time, notes, protected}], each of its guest as it stands here
//   pools     [{poolid, comment, vmids, storages}]
//   ha        [{sid: "ct:101", state, comment}]
//   users, groups, roles, acl, passwords, and tokens: [{auth: name for people, tokenid, secret, privsep}];
//   root@pam and the standard roles are always there
//   unreachableNodes [{name, reason}], knobs {startDelaySeconds, stopDelaySeconds}
import {COMPACT_FORMAT, readCompactSeed} from './seed/compact-seed.ts'
import {readRecordedSeed} from './seed/recorded-seed.ts'
import {SeedError, SeedObject} from './seed/seed-reader.ts'
import type {ClusterState} from './state.ts'

export {SeedError} from './seed/seed-reader.ts'

export function loadSeed(json: unknown): ClusterState {
  const seed = new SeedObject(json, '$')
  if (!seed.has('format')) {
    if (!seed.has('node')) throw new SeedError('$.format', `missing; write "${COMPACT_FORMAT}"`)
    return readRecordedSeed(seed)
  }
  if (seed.text('format') !== COMPACT_FORMAT) seed.fail('format', `must be "${COMPACT_FORMAT}"`)
  return readCompactSeed(seed)
}

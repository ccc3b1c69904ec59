// The knobs of the sandbox: POST /sandbox/control takes one JSON object, one control.
//
//   {"hang": 101, "on": true}            the guest ignores shutdown; so failStart (starts fail), warnStart
//                                        (starts of a container end in WARNINGS: 1)
//   {"lock": "backup", "kind": "lxc", "vmid": 101}       sets the guest's lock; null takes it off
//   {"configLockHeldSeconds": 5, "vmid": 101}            somebody else holds the config file's lock
//   {"startDelaySeconds": 1}, {"stopDelaySeconds": 1}    how long starting and stopping takes
//   {"fault": {…}}                       see faults.ts; {"faults": "clear"} disarms all of them
//   {"node": "pve2", "online": false}    cuts the node off from the others, as a broken network does: its guests go on
//   {"quorate": false}, {"loseTask": "UPID:…"}
import type {Cluster} from '../cluster.ts'
import type {Guest} from '../state.ts'
import {parseFault, type Faults} from './faults.ts'
import * as fields from './json-fields.ts'
import {ControlError, type Json} from './json-fields.ts'

interface Target {
  cluster: Cluster
  faults: Faults
}

interface Control {
  fields: readonly string[]
  apply: (target: Target, json: Json) => void
}

const guestFlag = (name: 'hang' | 'failStart' | 'warnStart'): Control => ({
  fields: ['on'],
  apply: ({cluster}, json) => {
    guestOf(cluster, json, name).knobs[name] = fields.booleanField(json, 'on')
  },
})

const delay = (name: 'startDelaySeconds' | 'stopDelaySeconds'): Control => ({
  fields: [],
  apply: ({cluster}, json) => {
    cluster.state.knobs[name] = fields.numberField(json, name, 0)
  },
})

const CONTROLS: Record<string, Control> = {
  hang: guestFlag('hang'),
  failStart: guestFlag('failStart'),
  warnStart: guestFlag('warnStart'),
  lock: {fields: ['kind', 'vmid'], apply: setLock},
  configLockHeldSeconds: {fields: ['vmid'], apply: holdConfigLock},
  startDelaySeconds: delay('startDelaySeconds'),
  stopDelaySeconds: delay('stopDelaySeconds'),
  fault: {
    fields: [],
    apply: ({faults}, json) => {
      faults.add(parseFault(json['fault']))
    },
  },
  faults: {
    fields: [],
    apply: ({faults}, json) => {
      fields.choiceField(json, 'faults', ['clear'])
      faults.clear()
    },
  },
  node: {fields: ['online'], apply: setOnline},
  quorate: {
    fields: [],
    apply: ({cluster}, json) => {
      cluster.state.quorate = fields.booleanField(json, 'quorate')
    },
  },
  loseTask: {fields: [], apply: loseTask},
}

/** Throws a ControlError that says what is wrong; then nothing has changed. */
export function applyControl(target: Target, value: unknown): void {
  const json = fields.asObject(value, 'a control')
  const names = Object.keys(CONTROLS).filter((name) => name in json)
  const [name] = names
  const control = name === undefined ? undefined : CONTROLS[name]
  if (name === undefined || !control || names.length > 1) {
    throw new ControlError(`one control at a time, of ${Object.keys(CONTROLS).join(', ')}`)
  }
  fields.refuseUnknownFields(json, [name, ...control.fields], `"${name}"`)
  control.apply(target, json)
}

function guestOf(cluster: Cluster, json: Json, field: string): Guest {
  const vmid = fields.integerField(json, field, 100)
  const guest = cluster.guest(vmid)
  if (!guest) throw new ControlError(`there is no guest ${String(vmid)}`)
  return guest
}

function setLock({cluster}: Target, json: Json): void {
  const guest = guestOf(cluster, json, 'vmid')
  const kind = fields.choiceField(json, 'kind', ['lxc', 'qemu'])
  if (guest.kind !== kind) throw new ControlError(`guest ${String(guest.vmid)} is of kind ${guest.kind}`)
  if (json['lock'] === null) delete guest.config['lock']
  else guest.config['lock'] = fields.textField(json, 'lock')
}

function holdConfigLock({cluster}: Target, json: Json): void {
  const seconds = fields.numberField(json, 'configLockHeldSeconds', 0)
  guestOf(cluster, json, 'vmid').knobs.configLockHeldUntilMs = cluster.clock.now() + seconds * 1000
}

function setOnline({cluster}: Target, json: Json): void {
  const name = fields.textField(json, 'node')
  const online = fields.booleanField(json, 'online')
  const node = cluster.node(name)
  if (!node) throw new ControlError(`there is no node ${name}`)
  if (!online && name === cluster.state.localNode) {
    throw new ControlError(`${name} is the node that answers; it cannot be offline`)
  }
  node.online = online
}

function loseTask({cluster}: Target, json: Json): void {
  const upid = fields.textField(json, 'loseTask')
  const task = cluster.tasks.find(upid)
  if (!task) throw new ControlError(`there is no task ${upid}`)
  task.lost = true
}

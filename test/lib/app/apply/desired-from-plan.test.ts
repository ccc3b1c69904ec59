import {expect} from 'chai'
import {desiredFromPlan} from '../../../../src/lib/app/apply/desired-from-plan.ts'
import {areSameSteps} from '../../../../src/lib/app/apply/same-steps.ts'
import {findOption} from '../../../../src/lib/catalog/option.ts'
import {readValue} from '../../../../src/lib/catalog/read-value.ts'
import type {ActualCluster, ActualGuest} from '../../../../src/lib/model/actual.ts'
import type {DesiredGuest} from '../../../../src/lib/model/desired.ts'
import type {GuestPlan, PlannedAction} from '../../../../src/lib/model/plan.ts'
import {planGuest} from '../../../../src/lib/plan/plan-changes.ts'
import {readPendingConfig} from '../../../../src/lib/pve/answers.ts'
import {decodePlan} from '../../../../src/lib/report/decode-plan.ts'
import {encodePlan} from '../../../../src/lib/report/plan-json.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'
import {readDesiredText} from '../../../support/plan-text.ts'
import {readOptionFacts, type OptionFact} from '../../../support/recorded-option-facts.ts'

const cluster = actualCluster()

/** The plan as it comes back from its file. */
function saved(plan: GuestPlan): GuestPlan {
  const whole = {guests: [plan], unmanaged: 0, unchanged: 0, problems: []}
  const decoded = decodePlan(JSON.parse(JSON.stringify(encodePlan(whole))))
  const [guest] = 'plan' in decoded ? decoded.plan.guests : []
  if (!guest) throw new Error('problem' in decoded ? decoded.problem : 'no guest')
  return guest
}

function again(plan: GuestPlan, guest: ActualGuest | undefined, within: ActualCluster = cluster): GuestPlan {
  const from = {plan: saved(plan), file: 'plan.json', guest}
  return planGuest(desiredFromPlan({...from, sourceOf: () => ({env: 'SECRET'})}), guest, within)
}

/** Needs have no order. */
const judgement = ({class: own, needs, blockers}: PlannedAction): unknown => [
  own,
  needs.map((need) => JSON.stringify(need)).sort(),
  blockers,
]

function expectSame(desired: DesiredGuest, guest: ActualGuest | undefined): GuestPlan {
  const first = planGuest(desired, guest, cluster)
  const second = again(first, guest)
  expect(first.actions, 'the test has something to say').to.not.have.lengthOf(0)
  expect(second.actions.map(({type}) => type)).to.deep.equal(first.actions.map(({type}) => type))
  expect(areSameSteps(first.actions, second.actions)).to.equal(true)
  expect(second.actions.map(judgement)).to.deep.equal(first.actions.map(judgement))
  return second
}

const wish = (yaml: string): DesiredGuest => {
  const [guest] = readDesiredText(`felhom: 1\nguests: {101: ${yaml}}`).guests
  if (!guest) throw new Error('no guest')
  return guest
}

const known = (
  current: Record<string, string>,
  pending: (ActualGuest['config'] & {known: true})['pending'] = [],
): ActualGuest['config'] => ({known: true, current, pending, digest: 'a'.repeat(40)})

describe('a saved plan, planned again from its own steps', () => {
  it('makes a container as it was planned, secrets and all', () => {
    const desired = wish(`{kind: lxc, node: pve1, run: running,
      config: {hostname: a, cores: 2, net0: {name: eth0, bridge: vmbr0, ip: dhcp}, tags: [b, a], description: "x\\ny\\n"},
      disks: {rootfs: {size: 8GiB}, mp0: "local-lvm:4,mp=/srv,backup=1"},
      create: {template: "local:vztmpl/d.tar.zst", storage: local-lvm, pool: lab, unprivileged: true,
        password: {fromEnv: SECRET}, sshkeys: {fromFile: keys.pub}}}`)
    expectSame(desired, undefined)
  })

  it('makes a clone with disks of another size, and a machine with cloud-init', () => {
    expectSame(
      wish(`{kind: qemu, node: pve1, config: {name: a, ciuser: me, cipassword: {fromEnv: SECRET}},
        disks: {scsi0: {size: 32GiB}}, create: {clone: 9000, full: true, storage: local-lvm}}`),
      undefined,
    )
  })

  it('wants nothing more of a guest that was made by it', () => {
    const desired = wish(`{kind: lxc, node: pve1, run: running, config: {net0: {name: eth0, bridge: vmbr0}},
      disks: {rootfs: {size: 8GiB}}, create: {template: "local:vztmpl/d.tar.zst", storage: local-lvm}}`)
    const config = known({
      net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:01,type=veth',
      rootfs: 'local-lvm:vm-101-disk-0,size=8G',
      arch: 'amd64',
    })
    const made = actualGuest(101, {run: 'stopped', config})
    const plan = planGuest(desired, undefined, cluster)
    expect(again(plan, made).actions.map(({type}) => type)).to.deep.equal(['start'])
    expect(again(plan, {...made, run: 'running'}).actions).to.deep.equal([])
  })

  it('sets, removes and grows', () => {
    const config = known({
      memory: '512',
      swap: '128',
      net0: 'name=eth0,bridge=vmbr0,firewall=1,hwaddr=BC:24:11:00:00:01,type=veth',
      rootfs: 'local-lvm:vm-101-disk-0,size=8G',
      mp0: 'local-lvm:vm-101-disk-1,mp=/srv,size=4G',
    })
    expectSame(
      wish(`{kind: lxc, config: {memory: 1GiB, swap: null, net0: {firewall: null, ip: dhcp}},
        disks: {rootfs: {size: 16GiB}, mp0: {backup: true, size: 6GiB}}}`),
      actualGuest(101, {config}),
    )
  })

  it('restarts for what the plan changes, and for what had waited before it', () => {
    const waiting = known({memory: '512', cores: '1'}, [
      {option: 'cores', kind: 'set', value: '2'},
      {option: 'balloon', kind: 'delete', force: false},
    ])
    const guest = actualGuest(101, {kind: 'qemu', config: waiting})
    expectSame(wish('{kind: qemu, restart: allowed, config: {cores: 2}}'), guest)
    expectSame(wish('{kind: qemu, restart: allowed, config: {cores: 2, bios: ovmf}}'), guest)
  })

  it('starts, stops and destroys', () => {
    const running = actualGuest(101, {config: known({rootfs: 'local-lvm:vm-101-disk-0,size=8G'})})
    const stopped: ActualGuest = {...running, run: 'stopped'}
    expectSame(wish('{kind: lxc, run: running}'), stopped)
    expectSame(wish('{kind: lxc, run: stopped, stop: {timeout: 90s, force: true}}'), running)
    expectSame(wish('{kind: lxc, ensure: absent, stop: {timeout: 5m}}'), running)
    expectSame(wish('{kind: lxc, ensure: absent}'), stopped)
  })

  it('judges anew what stands in its way', () => {
    const config = known({memory: '512'})
    const plan = planGuest(wish('{kind: lxc, config: {memory: 1GiB}}'), actualGuest(101, {config}), cluster)
    const locked = again(plan, actualGuest(101, {config, lock: 'backup'}))
    expect(locked.actions[0]?.blockers.map(({code}) => code)).to.deep.equal(['locked'])
    const lost = again(plan, actualGuest(101, {config}), {...cluster, quorum: 'lost'})
    expect(lost.actions[0]?.blockers.map(({code}) => code)).to.deep.equal(['no_quorum'])
  })
})

describe('a saved plan of every option', () => {
  const facts = readOptionFacts().facts.filter(({status}) => status === 200)

  const wanted = ({kind, option, vmid, value}: OptionFact): DesiredGuest | undefined => {
    const found = findOption(kind, option)
    if (!found || found.isReadOnly || !found.isComparable || found.aliasOf !== undefined) return undefined
    const reading = readValue(found, value)
    if (!('value' in reading)) return undefined
    const place = {file: 'guests.yaml', line: 1, column: 1}
    const options = new Map([[option, {name: option, value: reading.value, place}]])
    return desiredGuest(vmid, {}, {kind, options, restart: 'allowed'})
  }

  it('is planned again as it was', async () => {
    const sandbox = new InProcessSandbox()
    let compared = 0
    for (const fact of facts) {
      const desired = wanted(fact)
      if (!desired) continue
      const {kind, vmid, guestState: run} = fact
      const {data} = await sandbox.get(`/nodes/pve/${kind}/${vmid}/pending`)
      const guest = actualGuest(vmid, {kind, node: 'pve', run, config: readPendingConfig(data)})
      const plan = planGuest(desired, guest, cluster)
      if (plan.actions.length === 0) continue
      const steps = again(plan, guest).actions
      expect(areSameSteps(plan.actions, steps), `${kind} ${fact.option} = ${fact.value}`).to.equal(true)
      compared++
    }
    expect(compared).to.be.greaterThan(300)
  })
})

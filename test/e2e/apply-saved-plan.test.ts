// `felhom apply PLAN`: what was looked at is carried out, and nothing else; what no longer fits is refused.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import type {PlannedAction} from '../../src/lib/model/plan.ts'
import {decodePlan} from '../../src/lib/report/decode-plan.ts'
import {encodePlan} from '../../src/lib/report/plan-json.ts'
import {ApplyLab} from '../support/apply-lab.ts'
import {CANARY} from '../support/canary.ts'
import type {Run} from '../support/felhom.ts'

const TEMPLATE = 'local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst'

function asHarmless(action: PlannedAction): PlannedAction {
  if (action.type !== 'set-config') return action
  const changes = action.changes.map((change) => ({...change, class: 'benign' as const}))
  return {...action, changes, class: 'benign', blockers: [], needs: []}
}

describe('felhom apply of a saved plan', () => {
  let lab: ApplyLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  async function save(guests: string): Promise<void> {
    lab.wish(guests)
    const {code, stderr} = await lab.plan('--out', 'plan.json')
    expect(code, stderr).to.equal(0)
    // What the files say from now on does not count.
    lab.wish('{101: {kind: lxc, config: {memory: 4GiB}}}')
  }

  const apply = (...args: string[]): Promise<Run> => lab.felhom(['apply', 'plan.json', ...args])

  /** As somebody would who knows how a plan is written. */
  const forge = (change: (actions: readonly PlannedAction[]) => PlannedAction[]): void => {
    const file = join(lab.dir, 'plan.json')
    const decoded = decodePlan(JSON.parse(readFileSync(file, 'utf8')))
    if ('problem' in decoded) throw new Error(decoded.problem)
    const guests = decoded.plan.guests.map((guest) => ({...guest, actions: change(guest.actions)}))
    writeFileSync(file, JSON.stringify(encodePlan({...decoded.plan, guests})))
  }

  it('carries out what it says, without a question', async () => {
    await save(`{101: {kind: lxc, config: {memory: 1GiB, net0: {firewall: true}}},
      110: {kind: lxc, disks: {rootfs: {size: 20GiB}}},
      150: {kind: lxc, run: running},
      162: {kind: lxc, node: pve1, run: running, config: {hostname: new, net0: {name: eth0, bridge: vmbr0}},
        disks: {rootfs: {size: 4GiB}}, create: {template: "${TEMPLATE}", storage: local-lvm}},
      200: {kind: qemu, restart: allowed, config: {cores: 4}}}`)
    const {code, stdout, stderr} = await apply()
    expect(code, stderr + stdout).to.equal(0)
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain(
      'Apply complete: 1 created, 3 changed, 2 started, 1 restarted.',
    )
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
    expect(await lab.status('lxc', 162)).to.equal('running')
  })

  it('is stale once it has been carried out', async () => {
    await save('{101: {kind: lxc, config: {memory: 1GiB}}}')
    expect((await apply()).code).to.equal(0)
    expect((await apply()).code).to.equal(8)
  })

  const PLAN = '{101: {kind: lxc, config: {memory: 1GiB}}, 110: {kind: lxc, config: {memory: 3GiB}}}'
  const stale: [string, string, () => Promise<unknown>, string][] = [
    [
      'the config of one of its guests has changed',
      PLAN,
      () => lab.sandbox.call('PUT', '/nodes/pve1/lxc/101/config', {cores: '3'}),
      'lxc/101 has another config now',
    ],
    [
      'one of its guests has been started',
      '{101: {kind: lxc, config: {memory: 1GiB}}, 150: {kind: lxc, run: running}}',
      async () => {
        await lab.sandbox.control({startDelaySeconds: 0})
        await lab.sandbox.call('POST', '/nodes/pve2/lxc/150/status/start')
        while ((await lab.status('lxc', 150, 'pve2')) !== 'running') continue
      },
      'lxc/150 was stopped and is running now',
    ],
    [
      'one of its guests is gone',
      '{101: {kind: lxc, config: {memory: 1GiB}}, 150: {kind: lxc, run: running}}',
      async () => {
        await lab.sandbox.call('DELETE', '/nodes/pve2/lxc/150')
        const isThere = async (): Promise<boolean> => (await lab.felhom(['guests'])).stdout.includes('wiki')
        while (await isThere()) continue
      },
      'lxc/150 does not exist any more',
    ],
    [
      'what it would make exists already',
      `{101: {kind: lxc, config: {memory: 1GiB}}, 163: {kind: lxc, node: pve1,
        create: {template: "${TEMPLATE}", storage: local-lvm}}}`,
      async () => {
        await lab.sandbox.call('POST', '/nodes/pve1/qemu', {vmid: '163'})
        const isThere = async (): Promise<boolean> => (await lab.felhom(['guests'])).stdout.includes(' 163 ')
        while (!(await isThere())) continue
      },
      'lxc/163 exists now',
    ],
    [
      'one of its guests cannot be seen any more',
      '{101: {kind: lxc, config: {memory: 1GiB}}, 150: {kind: lxc, run: running}}',
      () => lab.sandbox.control({node: 'pve2', online: false}),
      'lxc/150',
    ],
  ]
  for (const [when, guests, change, why] of stale) {
    it(`sends nothing and exits with 8 when ${when}`, async () => {
      await save(guests)
      await change()
      const before = await lab.mutations()
      const {code, stderr} = await apply()
      expect(code, stderr).to.equal(8)
      expect(stderr.replaceAll(/\s+/g, ' ')).to.contain(why)
      expect(await lab.mutations()).to.deep.equal(before)
      expect((await lab.config('lxc', 101))['memory']).to.equal(512)
    })
  }

  it('does not mind that other guests have changed', async () => {
    await save('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await lab.sandbox.call('PUT', '/nodes/pve1/lxc/110/config', {cores: '3'})
    expect((await apply()).code).to.equal(0)
  })

  it('is not believed what it says of what stands in its way', async () => {
    await save('{140: {kind: lxc, config: {cores: 4}}}')
    forge((actions) => actions.map((action) => ({...action, blockers: []})))
    const {code, stdout} = await apply()
    expect(code).to.equal(4)
    expect(stdout).to.match(/^blocked +lxc\/140 /m)
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('is not believed what it says of its own harmlessness', async () => {
    await save('{120: {kind: lxc, config: {protection: null}, disks: {mp0: null}}}')
    forge((actions) => actions.map(asHarmless))
    const {code, stdout, stderr} = await apply()
    expect(code, stdout + stderr).to.equal(3)
    expect(stdout).to.contain('nothing was changed')
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('is believed where it is the stricter: what a rule held back is held back without its plugin', async () => {
    await save(
      '{101: {kind: lxc, run: stopped, config: {memory: 1GiB}}, 102: {kind: lxc, config: {memory: 1GiB}}}',
    )
    forge((actions) =>
      actions.map((action) => {
        const isOf101 = actions.some(({type}) => type === 'shutdown')
        return isOf101 ? {...action, class: 'destructive' as const} : action
      }),
    )
    const {code, stdout, stderr} = await apply()
    expect(code, stdout + stderr).to.equal(3)
    expect(stdout.replaceAll(/\s+/g, ' ')).to.contain(
      'stop: it loses nothing, but the signature of an operator is demanded for it',
    )
    expect(await lab.status('lxc', 101)).to.equal('running')
    expect((await lab.config('lxc', 101))['memory']).to.equal(512)
    expect((await lab.config('lxc', 102, 'pve2'))['memory']).to.equal(1024)
  })

  it('is refused when its steps are not those that felhom would take', async () => {
    await save('{120: {kind: lxc, config: {memory: 6GiB}, disks: {mp0: null}}}')
    forge((actions) => {
      const changes = actions.map(asHarmless).flatMap((a) => (a.type === 'set-config' ? a.changes : []))
      const [first] = actions
      return first?.type === 'set-config' ? [{...first, changes}] : []
    })
    const {code, stderr} = await apply()
    expect(code).to.equal(64)
    expect(stderr.replaceAll(/\s+/g, ' ')).to.contain('are not those that felhom would take')
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('finds its secrets in the files, and says so before anything is sent when it cannot', async () => {
    lab.write('password', `${CANARY}\n`)
    const guests = `{101: {kind: lxc, config: {memory: 1GiB}}, 161: {kind: lxc, node: pve1,
      create: {template: "${TEMPLATE}", storage: local-lvm, password: {fromFile: password}}}}`
    await save(guests)
    const without = await apply()
    expect(without.code).to.equal(64)
    expect(without.stderr).to.contain('lxc/161').and.contain('--desired')
    const elsewhere = await apply('-d', 'guests.yaml')
    expect(elsewhere.code, 'files that do not have it').to.equal(64)
    expect(await lab.mutations()).to.deep.equal([])
    lab.wish(guests)
    const {code, stdout, stderr} = await apply('-d', 'guests.yaml')
    expect(code, stderr).to.equal(0)
    expect(stdout + stderr + lab.stateText()).to.not.contain(CANARY)
  })

  it('is taken whole or not at all, and only if it is a plan', async () => {
    await save('{101: {kind: lxc, config: {memory: 1GiB}}}')
    expect((await apply('--target', '101')).code).to.equal(64)
    lab.write('plan.json', '{"format_version": "1.0"}')
    expect((await apply()).code).to.equal(64)
    expect(await lab.mutations()).to.deep.equal([])
  })
})

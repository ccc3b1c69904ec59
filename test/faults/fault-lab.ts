// A sandbox with a guest for every operation, and what is true after every crash once felhom has come back: each
// change was made once, nothing is left to do, and the journal is whole.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {systemDisk} from '../../src/lib/store/system-disk.ts'
import {verifyJournal} from '../../src/lib/store/verify-journal.ts'
import {ApplyLab} from '../support/apply-lab.ts'
import type {Run} from '../support/felhom.ts'
import {allOperationsSeed, OPERATIONS, wishFor, type OperationCase} from './all-operations.ts'

export const APPLY = ['apply', '-d', 'guests.yaml', '--auto-approve']

interface OpenOperation {
  op: string
  guest: string
}

interface Task {
  type: string
  id: string
}

export class FaultLab {
  readonly lab: ApplyLab
  readonly #seedDir: string
  /** How long recover gives a request whose answer was lost to show itself. */
  settle = '300ms'
  cases: readonly OperationCase[] = OPERATIONS

  private constructor(lab: ApplyLab, seedDir: string) {
    this.lab = lab
    this.#seedDir = seedDir
  }

  static async start(seed: object = allOperationsSeed()): Promise<FaultLab> {
    const seedDir = mkdtempSync(join(tmpdir(), 'felhom-faults-'))
    const file = join(seedDir, 'seed.json')
    writeFileSync(file, JSON.stringify(seed))
    return new FaultLab(await ApplyLab.start('--seed', file), seedDir)
  }

  async stop(): Promise<void> {
    await this.lab.stop()
    rmSync(this.#seedDir, {recursive: true, force: true})
  }

  async renew(cases: readonly OperationCase[] = OPERATIONS): Promise<void> {
    await this.lab.renew()
    this.cases = cases
    this.lab.write('guests.yaml', wishFor(cases))
  }

  get env(): NodeJS.ProcessEnv {
    return {...this.lab.sandbox.env, FELHOM_RECOVER__SETTLE: this.settle}
  }

  felhom(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
    return this.lab.felhom([...args], {...this.env, ...env})
  }

  /** `type:id` of every task that Proxmox has seen, and the routes of what it does without one; each with its count. */
  async effects(): Promise<Record<string, number>> {
    const {sandbox} = this.lab
    const tasks = (await sandbox.call('GET', '/nodes/pve1/tasks?source=all&limit=500')) as Task[]
    const requests = Object.entries(await sandbox.requests()).filter(([key]) => /^PUT .*\/config$/.test(key))
    const effects: Record<string, number> = Object.fromEntries(requests)
    for (const {type, id} of tasks) effects[`${type}:${id}`] = (effects[`${type}:${id}`] ?? 0) + 1
    return effects
  }

  /** Requests that change something, those included that a fault kept from their effect. */
  async mutations(): Promise<number> {
    const requests = Object.entries(await this.lab.sandbox.requests())
    return requests.filter(([key]) => !key.startsWith('GET ')).reduce((sum, [, count]) => sum + count, 0)
  }

  /** Settles, finishes, and sees that all is well: `what` is said of whatever is not. */
  async comeBack(what: string): Promise<void> {
    const recovered = await this.felhom(['recover', '--json'])
    expect(recovered.code, `${what}: recover: ${recovered.stderr}${recovered.stdout}`).to.be.oneOf([0, 5])
    if (recovered.code === 5) await this.#decideAbsent(what)
    const applied = await this.felhom(APPLY)
    expect(applied.code, `${what}: apply: ${applied.stderr}${applied.stdout}`).to.equal(0)
    await this.expectDone(what)
  }

  async expectDone(what: string): Promise<void> {
    const plan = await this.felhom(['plan', '-d', 'guests.yaml', '--detailed-exitcode'])
    expect(plan.code, `${what}: the plan is not empty: ${plan.stdout}${plan.stderr}`).to.equal(0)
    expect(await this.effects(), what).to.deep.equal(
      Object.fromEntries(this.cases.map(({effect}) => [effect, 1])),
    )
    const {problems, open, torn} = await verifyJournal({disk: systemDisk, dir: join(this.lab.dir, '.felhom')})
    expect({problems, open, torn}, what).to.deep.equal({problems: [], open: 0, torn: undefined})
  }

  /** A creation of which nothing is seen stays open for ten minutes: plan says so, and the operator, who knows, need not wait. */
  async #decideAbsent(what: string): Promise<void> {
    const {operations} = resultOf<{operations: OpenOperation[]}>(
      await this.felhom(['journal', 'inflight', '--json']),
    )
    const plan = await this.felhom(['plan', '-d', 'guests.yaml'])
    const said = plan.stderr.replaceAll(/\s+/g, ' ')
    const effects = await this.effects()
    expect(operations, what).not.to.deep.equal([])
    for (const {op, guest} of operations) {
      const created = this.cases.find(({vmid, isCreation}) => isCreation && guest.endsWith(`/${vmid}`))
      expect(created, `${what}: ${guest} must not stay open`).not.to.equal(undefined)
      expect(effects, what).not.to.have.property(created?.effect ?? '')
      expect(said, what).to.contain('frozen').and.contain(`${guest} (create`)
      const resolve = ['journal', 'resolve', op, '--as', 'failed', '--force', '--auto-approve']
      const resolved = await this.felhom(resolve)
      expect(resolved.code, `${what}: resolve: ${resolved.stderr}`).to.equal(0)
    }
  }
}

export const resultOf = <T>({stdout}: Run): T => (JSON.parse(stdout) as {result: T}).result

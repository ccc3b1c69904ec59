// The recorded facts about single options as a table test: each fact is played on a fresh sandbox and observed
// in the same shape as it was recorded. For another kind of guest, call the two functions at the end:
//   describeOptionFacts('qemu', exceptions)
//   describeOptionPrivileges('qemu', exceptions)
// An exception names facts whose difference is known and wanted, with the reason.
import {readFileSync} from 'node:fs'
import {isDeepStrictEqual} from 'node:util'
import {expect} from 'chai'
import {InProcessSandbox, type Answer} from './in-process-sandbox.ts'

type Kind = 'lxc' | 'qemu'
type Config = Record<string, unknown>

interface SecondWrite {
  status: number
  reason: string
  configUnchanged: boolean
  digestUnchanged: boolean
  readBack?: unknown
}

interface AfterDelete {
  status: number
  reason: string
  gone: boolean
  alsoChanged: Config
  readBack?: unknown
  pending?: Config
}

/** What is compared of a fact. */
interface Observation {
  before: unknown
  status: number
  reason: string
  errors?: Record<string, string>
  readBack: unknown
  readBackCurrent: unknown
  pending: Config | null
  alsoChanged: Config
  effect: string
  changed: boolean
  secondWriteOfReadBack?: SecondWrite
  afterDelete?: AfterDelete
}

export interface OptionFact extends Observation {
  kind: Kind
  option: string
  value: string | number
  guestState: 'stopped' | 'running'
  vmid: number
}

interface OptionSummary {
  kind: Kind
  option: string
  privilegeObserved?: (Record<string, string | number> & {value: string | number})[]
}

/** Facts that are not expected to agree, and why. Without `fields` the whole fact is left out. */
export interface FactException {
  option: string
  value?: string | number
  guestState?: 'stopped' | 'running'
  fields?: (keyof Observation)[]
  reason: string
}

const file = readFileSync(new URL('../fixtures/pve/option-facts.json', import.meta.url), 'utf8')
const recorded = JSON.parse(file) as {facts: OptionFact[]; options: OptionSummary[]}

const COMPARED: (keyof Observation)[] = [
  'before',
  'status',
  'reason',
  'errors',
  'readBack',
  'readBackCurrent',
  'pending',
  'alsoChanged',
  'effect',
  'changed',
  'secondWriteOfReadBack',
  'afterDelete',
]

/** Sees one guest's config through the API, with generated MAC addresses as in the recording. */
class GuestView {
  readonly #sandbox: InProcessSandbox
  readonly #path: string
  readonly #known: string

  constructor(sandbox: InProcessSandbox, fact: Pick<OptionFact, 'kind' | 'vmid' | 'value'>) {
    this.#sandbox = sandbox
    this.#path = `/nodes/pve/${fact.kind}/${String(fact.vmid)}`
    const {config} = sandbox.cluster.requireGuest(fact.kind, 'pve', fact.vmid)
    this.#known = `${Object.values(config).join(' ')} ${String(fact.value)}`.toLowerCase()
  }

  put(form: Record<string, string | number>): Promise<Answer> {
    return this.#sandbox.put(`${this.#path}/config`, form)
  }

  async config(current = false, isNamed = true): Promise<Config> {
    const {data} = await this.#sandbox.get(`${this.#path}/config${current ? '?current=1' : ''}`)
    return (isNamed ? this.#named(data) : data) as Config
  }

  /** The option's row of GET pending without its key; null without a row. */
  async pendingRow(option: string): Promise<Config | null> {
    const {data} = await this.#sandbox.get(`${this.#path}/pending`)
    const row = (data as Config[]).find(({key}) => key === option)
    if (!row) return null
    return this.#named({...row, key: undefined}) as Config
  }

  /** Generated MAC addresses become `${mac}`. */
  #named(value: unknown): unknown {
    const text = JSON.stringify(value)
    const withNames = text.replace(/(?:[0-9a-f]{2}:){5}[0-9a-f]{2}/gi, (mac) =>
      this.#known.includes(mac.toLowerCase()) ? mac : '${mac}',
    )
    return JSON.parse(withNames)
  }
}

export async function observe(fact: OptionFact): Promise<Observation> {
  const view = new GuestView(new InProcessSandbox(), fact)
  const {option} = fact
  const before = await view.config()
  const answer = await view.put({[option]: fact.value})
  const after = await view.config()
  const current = await view.config(true)
  const pending = await view.pendingRow(option)
  const observation: Observation = {
    before: before[option] ?? null,
    status: answer.status,
    reason: answer.reason,
    ...(answer.errors && {errors: answer.errors}),
    readBack: after[option] ?? null,
    readBackCurrent: current[option] ?? null,
    pending,
    alsoChanged: changesBetween(before, after, option),
    effect: effectOf(answer.status, before, after, pending),
    changed: !isDeepStrictEqual(before[option], after[option]),
  }
  if (observation.effect === 'rejected') return observation
  if (after[option] !== undefined) observation.secondWriteOfReadBack = await observeSecondWrite(view, option)
  observation.afterDelete = await observeDelete(view, option)
  return observation
}

function effectOf(status: number, before: Config, after: Config, pending: Config | null): string {
  const isWritten = before['digest'] !== after['digest']
  if (status !== 200) return isWritten ? 'error-but-written' : 'rejected'
  return pending && ('pending' in pending || 'delete' in pending) ? 'pending' : 'live'
}

/** Writes back what was read, with a MAC address that was generated as it is. */
async function observeSecondWrite(view: GuestView, option: string): Promise<SecondWrite> {
  const before = await view.config()
  const {[option]: value} = await view.config(false, false)
  const written = await view.put({[option]: value as string | number})
  const after = await view.config()
  const configUnchanged = isDeepStrictEqual({...before, digest: null}, {...after, digest: null})
  return {
    status: written.status,
    reason: written.reason,
    configUnchanged,
    digestUnchanged: before['digest'] === after['digest'],
    ...(!configUnchanged && {readBack: after[option]}),
  }
}

async function observeDelete(view: GuestView, option: string): Promise<AfterDelete> {
  const before = await view.config()
  const {status, reason} = await view.put({delete: option})
  const after = await view.config()
  const pending = await view.pendingRow(option)
  return {
    status,
    reason,
    gone: after[option] === undefined,
    alsoChanged: changesBetween(before, after, option),
    ...(after[option] !== undefined && {readBack: after[option]}),
    ...(pending && {pending}),
  }
}

/** Which other options changed, each with the value before and after. */
function changesBetween(before: Config, after: Config, option: string): Config {
  const changes: Config = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (key === option || key === 'digest' || isDeepStrictEqual(before[key], after[key])) continue
    changes[key] = {from: before[key] ?? null, to: after[key] ?? null}
  }
  return changes
}

function exceptionFor(exceptions: FactException[], fact: OptionFact): FactException | undefined {
  return exceptions.find(
    (e) =>
      e.option === fact.option &&
      (e.value === undefined || e.value === fact.value) &&
      (e.guestState === undefined || e.guestState === fact.guestState),
  )
}

/** The compared fields in which observation and record differ, each with both. */
async function differences(fact: OptionFact, exception: FactException | undefined): Promise<Config> {
  const observed = await observe(fact)
  const differing: Config = {}
  for (const field of COMPARED) {
    if (exception?.fields?.includes(field) || isDeepStrictEqual(observed[field], fact[field])) continue
    differing[field] = {recorded: fact[field], observed: observed[field]}
  }
  return differing
}

/** One test per option and state of the guest. */
export function describeOptionFacts(kind: Kind, exceptions: FactException[] = []): void {
  const facts = recorded.facts.filter((fact) => fact.kind === kind)
  const groups = new Map<string, OptionFact[]>()
  for (const fact of facts) {
    const name = `${fact.option} of a ${fact.guestState} guest`
    groups.set(name, [...(groups.get(name) ?? []), fact])
  }
  for (const [name, group] of groups) {
    it(`answers as recorded for ${name}`, async () => {
      for (const fact of group) {
        const exception = exceptionFor(exceptions, fact)
        if (exception && !exception.fields) continue
        const found = await differences(fact, exception)
        expect(found, `${fact.option}=${String(fact.value)}`).to.deep.equal({})
      }
    })
  }
  it('lists no exception without a fact', () => {
    const idle = exceptions.filter((e) => !facts.some((fact) => exceptionFor([e], fact)))
    expect(idle).to.deep.equal([])
  })
}

const PROBES: Record<string, {path: string; privs: string[] | 'Administrator'}> = {
  administratorNotRoot: {path: '/', privs: 'Administrator'},
  onlyAudit: {path: '/vms', privs: ['VM.Audit']},
  'onlyVM.Config.CPU': {path: '/vms', privs: ['VM.Audit', 'VM.Config.CPU']},
  'onlyVM.Config.Options': {path: '/vms', privs: ['VM.Audit', 'VM.Config.Options']},
}

/** Lets a user who is not root try to set the option on a stopped guest. */
async function probe(kind: Kind, option: string, value: string | number, probeName: string): Promise<string> {
  const sandbox = new InProcessSandbox()
  const {access} = sandbox.cluster.state
  const {path = '/', privs = []} = PROBES[probeName] ?? {}
  const roleid = privs === 'Administrator' ? privs : 'Probe'
  if (privs !== 'Administrator') access.roles.push({roleid, special: 0, privs})
  access.users.push({userid: 'probe@pve', enable: 1, expire: 0, realmType: 'pve'})
  access.tokens.push({tokenid: 'probe@pve!t', secret: 'probe', privsep: 0, expire: 0})
  access.acl.push({path, type: 'user', ugid: 'probe@pve', propagate: 1, roleid})
  const guest = `/nodes/pve/${kind}/${kind === 'lxc' ? '102' : '201'}`
  const {status, reason} = await sandbox.put(`${guest}/config`, {[option]: value}, 'probe@pve!t=probe')
  return `${String(status)} ${reason}`
}

/** One test per option: who may set it. */
export function describeOptionPrivileges(kind: Kind, exceptions: FactException[] = []): void {
  for (const {option, privilegeObserved} of recorded.options.filter((o) => o.kind === kind)) {
    if (!privilegeObserved) continue
    it(`asks for the recorded privileges for ${option}`, async () => {
      for (const {value, ...probes} of privilegeObserved) {
        if (exceptions.some((e) => e.option === option && (e.value ?? value) === value)) continue
        const observed: Record<string, string> = {}
        for (const name of Object.keys(probes)) observed[name] = await probe(kind, option, value, name)
        expect(observed, `${option}=${String(value)}`).to.deep.equal(probes)
      }
    })
  }
}

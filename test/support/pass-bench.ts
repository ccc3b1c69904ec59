// Passes of the daemon on a sandbox without HTTP and on virtual time: the real pass, engine, gate with real signatures,
// and logs on a disk in memory. What a test changes is what is desired, what is set, and what others do.
import canonicalize from 'canonicalize'
import type {KeptMemory} from '../../src/lib/app/daemon/keep-memory.ts'
import {PassMemory, type PassWorld, type Told} from '../../src/lib/app/daemon/pass-world.ts'
import {runPass} from '../../src/lib/app/daemon/run-pass.ts'
import {openStores} from '../../src/lib/app/state/open-stores.ts'
import {provenanceOf} from '../../src/lib/app/gate/gate-evidence.ts'
import {bindAction} from '../../src/lib/gate/bind-action.ts'
import {actionDigest} from '../../src/lib/gate/digests.ts'
import type {ClassRule} from '../../src/lib/gate/classify.ts'
import {createGate} from '../../src/lib/gate/gate.ts'
import {observeGuest} from '../../src/lib/gate/observe-guest.ts'
import {hashTrust} from '../../src/lib/gate/trust-document.ts'
import {loadTrust} from '../../src/lib/gate/trust-load.ts'
import type {PassReport, Suspension} from '../../src/lib/model/daemon.ts'
import type {DesiredGuest} from '../../src/lib/model/desired.ts'
import type {ActionBody} from '../../src/lib/model/plan.ts'
import {createWriter} from '../../src/lib/pve/write.ts'
import {loadSettings} from '../../src/lib/settings/load-settings.ts'
import type {Settings} from '../../src/lib/settings/settings.ts'
import type {CarriedEnvelope} from '../../src/lib/source/source.ts'
import {desiredState} from './desired-guest.ts'
import {EngineBench, TOKEN_ID} from './engine-bench.ts'
import type {ForgedKey} from './forge-keys.ts'
import {anna, DAY_MS, HOUR_MS, showTime, trustFile} from './gate-bench.ts'
import {homelabSeed} from './homelab-seed.ts'
import {MemoryDisk} from '../../src/lib/testing/memory-disk.ts'
import {forgeSshsig} from './sshsig-forge.ts'

const ENDPOINT = 'https://pve1:8006'
const DIR = '/state'

export class PassBench {
  readonly bench = new EngineBench({seed: homelabSeed})
  readonly disk = new MemoryDisk()
  readonly stop = new AbortController()
  readonly told: Told[] = []
  readonly reports: PassReport[] = []
  memory = new PassMemory()
  settings: Settings
  /** undefined: there is no desired state. */
  desired: readonly DesiredGuest[] | undefined = []
  approvals: CarriedEnvelope[] = []
  jobs: CarriedEnvelope[] = []
  suspensions: readonly Suspension[] = []
  rules: readonly ClassRule[] = []
  /** What a pass has left for another process. */
  kept: KeptMemory | undefined
  readonly host: string
  readonly #trust = trustFile({expiresMs: Math.ceil(this.clock.now() / 1000) * 1000 + 300 * DAY_MS})
  #signatures = 0

  private constructor(settings: Settings, host: string) {
    this.settings = settings
    this.host = host
  }

  static async make(daemon: Partial<Settings['daemon']> = {}): Promise<PassBench> {
    const {settings} = await loadSettings({cwd: '/', env: {}, configFile: '/dev/null'})
    const whole = {...settings, daemon: {...settings.daemon, ...daemon}}
    return new PassBench(whole, 'install-of-the-bench')
  }

  get clock(): EngineBench['sandbox']['clock'] {
    return this.bench.sandbox.clock
  }

  set(daemon: Partial<Settings['daemon']>): void {
    this.settings = {...this.settings, daemon: {...this.settings.daemon, ...daemon}}
  }

  /** Another process on the same state directory. */
  restart(): void {
    this.memory = new PassMemory()
  }

  async pass(): Promise<PassReport> {
    this.bench.connection.requests.length = 0
    const report = await this.clock.run(runPass(this.reports.length + 1, this.#world(), this.memory))
    this.reports.push(report)
    return report
  }

  /** A node that is away takes its guests along. */
  turn(name: string, isOnline: boolean): void {
    const node = this.bench.sandbox.cluster.state.nodes.find((one) => one.name === name)
    if (!node) throw new Error(`there is no node ${name}`)
    node.online = isOnline
  }

  /** `PUT /nodes/pve1/lxc/101/config`: what the last pass has sent. */
  sent(): string[] {
    return this.bench.sent()
  }

  /** As the journal and the audit have it on disk. */
  async look<T>(work: (stores: Awaited<ReturnType<PassBench['open']>>) => T): Promise<T> {
    const stores = await this.open()
    try {
      return work(stores)
    } finally {
      await stores.close()
    }
  }

  open(): ReturnType<typeof openStores> {
    return openStores({
      dir: DIR,
      identity: {endpoint: ENDPOINT, tokenId: TOKEN_ID},
      disk: this.disk.mount(),
      clock: this.clock,
      host: this.host,
      warn: () => undefined,
    })
  }

  /** An approval of `key` for this action on the guest as it is now. */
  async sign(vmid: number, action: ActionBody, key: ForgedKey = anna, change = {}): Promise<CarriedEnvelope> {
    const {guests} = await this.bench.read()
    const guest = guests.find((one) => one.vmid === vmid)
    if (!guest) throw new Error(`there is no guest ${vmid}`)
    const bound = bindAction(action, guest, guest)
    if ('unsupported' in bound) throw new Error(bound.unsupported)
    const snapshots = await this.clock.run(this.bench.reader.readSnapshots(guest))
    const payload = Buffer.from(
      canonicalize({
        ...bound,
        type: 'felhom.op.v1',
        host: this.host,
        action: actionDigest(bound),
        observed: observeGuest(guest, snapshots),
        nonce: Buffer.alloc(16, ++this.#signatures).toString('base64url'),
        iat: showTime(this.clock.now() - 1000),
        exp: showTime(this.clock.now() + 20 * HOUR_MS),
        trust: 1,
        reason: 'a test wants it',
        ...change,
      }) ?? '',
    )
    const signatures = [forgeSshsig(key, payload)]
    const text = JSON.stringify({v: 1, payload: payload.toString('base64'), signatures})
    return {name: `${this.#signatures}.json`, bytes: Buffer.from(text)}
  }

  #world(): PassWorld {
    const {bench, clock, settings} = this
    return {
      ...{settings, clock, env: {}, stop: this.stop.signal},
      keeper: {
        ask: () => Promise.resolve(),
        settle: () =>
          Promise.resolve({
            ...(this.desired && {desired: desiredState(...this.desired)}),
            ...{approvals: this.approvals, jobs: this.jobs},
            standing: {kind: 'files', place: 'guests.yaml', state: 'fresh', revision: 'r1'},
          }),
      },
      memory: {
        load: () => this.kept,
        save: (kept) => {
          this.kept = kept
        },
      },
      openAccess: () =>
        Promise.resolve({
          ...{reader: bench.reader, writer: createWriter(bench.connection)},
          ...{tokenId: TOKEN_ID, endpoint: ENDPOINT, close: () => Promise.resolve()},
        }),
      openState: async () => ({...(await this.open()), dir: DIR}),
      openGate: ({state, access, carried, withhold}) =>
        Promise.resolve(
          createGate({
            audit: state.audit,
            disarmed: () => state.journal.disarmed(),
            maxDestroy: settings.gate.maxDestroy,
            provenance: provenanceOf(state.journal),
            rules: this.rules,
            withhold,
            signing: {
              host: state.host,
              clock,
              trust: {read: () => Promise.resolve([this.#trust])},
              genesis: hashTrust(this.#trust.bytes),
              nonces: state.nonces,
              approvals: {list: () => Promise.resolve(carried)},
              snapshots: access.reader,
            },
          }),
        ),
      openInspector: (gate) => ({
        inspect: (request) => gate.inspect(request),
        readTrust: () => Promise.resolve(undefined),
        hasRules: this.rules.length > 0,
      }),
      readSuspensions: () => this.suspensions,
      readTrust: () => {
        const reading = loadTrust([this.#trust], hashTrust(this.#trust.bytes), clock.now(), {version: 0})
        return Promise.resolve('trust' in reading ? reading.trust : undefined)
      },
      tell: (event) => this.told.push(event),
      randomHex: (digits) => bench.sandbox.cluster.randomHex(digits),
    }
  }
}

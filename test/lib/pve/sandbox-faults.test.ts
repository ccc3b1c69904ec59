import {expect} from 'chai'
import {DispatchError} from '../../../src/lib/model/dispatch-error.ts'
import type {ErrorCode} from '../../../src/lib/model/error-codes.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {createWriter} from '../../../src/lib/pve/write.ts'
import {expectNoCanary} from '../../support/canary.ts'
import {journaledIntent, setConfig} from '../../support/journaled-intent.ts'
import {rejection} from '../../support/reject.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'
import {waitFor} from '../../support/wait-for.ts'

const GUEST = {kind: 'lxc', node: 'pve', vmid: 102} as const
const CONFIG_PATH = '/nodes/pve/lxc/102/config'

interface FaultCase {
  readonly fault: Record<string, unknown>
  readonly code: ErrorCode
  /** Whether a read is tried again. */
  readonly repeated: boolean
  readonly executed: 'no' | 'ambiguous'
}

const CASES: Record<string, FaultCase> = {
  'a 400': {
    fault: {kind: 'status', status: 400},
    code: 'parameters_refused',
    repeated: false,
    executed: 'no',
  },
  'a 401': {fault: {kind: 'status', status: 401}, code: 'unauthorized', repeated: false, executed: 'no'},
  'a 403': {fault: {kind: 'status', status: 403}, code: 'forbidden', repeated: false, executed: 'no'},
  'a 500': {
    fault: {kind: 'status', status: 500},
    code: 'proxmox_error',
    repeated: false,
    executed: 'ambiguous',
  },
  'a 501': {fault: {kind: 'status', status: 501}, code: 'not_implemented', repeated: false, executed: 'no'},
  'a 503': {
    fault: {kind: 'status', status: 503},
    code: 'gateway_failed',
    repeated: true,
    executed: 'ambiguous',
  },
  'a 595': {fault: {kind: 'status', status: 595}, code: 'node_unreachable', repeated: true, executed: 'no'},
  'a 596': {
    fault: {kind: 'status', status: 596},
    code: 'gateway_timeout',
    repeated: true,
    executed: 'ambiguous',
  },
  'a 599': {
    fault: {kind: 'status', status: 599},
    code: 'gateway_failed',
    repeated: true,
    executed: 'ambiguous',
  },
  'a reset': {fault: {kind: 'reset'}, code: 'connection_lost', repeated: true, executed: 'ambiguous'},
  'a stall': {fault: {kind: 'stall'}, code: 'timeout', repeated: true, executed: 'ambiguous'},
  'a cut body': {
    fault: {kind: 'cut', afterBytes: 5},
    code: 'connection_lost',
    repeated: true,
    executed: 'ambiguous',
  },
  'a cut head': {
    fault: {kind: 'cut', afterBytes: 0},
    code: 'connection_lost',
    repeated: true,
    executed: 'ambiguous',
  },
}

/** Short, for faults that keep silent; long enough for an answer of the sandbox on a busy machine. */
const limits = {readTimeoutMs: 400, writeTimeoutMs: 400, tries: 3}

describe('under faults of the sandbox', () => {
  let sandbox: TestSandbox

  before(async () => {
    sandbox = await TestSandbox.start()
  })
  afterEach(() => sandbox.reset())
  after(() => sandbox.close())

  const change = async () => {
    const {digest} = await createReader(sandbox.connect()).readConfig(GUEST)
    return journaledIntent(GUEST, setConfig({tags: 'new'}), {digest})
  }
  const tagsNow = () => sandbox.sandbox.cluster.guest(102)?.config['tags']

  for (const [name, {fault, code, repeated, executed}] of Object.entries(CASES)) {
    it(`a read ${repeated ? 'gets over' : 'stops at'} ${name}`, async () => {
      await sandbox.control({fault: {...fault, path: '/version', times: 1}})
      const reader = createReader(sandbox.connect('full', {limits}))
      if (repeated) expect((await reader.version()).version).to.equal('9.1.10')
      else expect((await rejection(reader.version())).code).to.equal(code)
      expect((await sandbox.stats()).total).to.equal(repeated ? 2 : 1)
    })

    it(`a read that meets nothing but ${name} ends in bounded tries`, async () => {
      await sandbox.control({fault: {...fault, path: '/version', times: 100}})
      const error = await rejection(createReader(sandbox.connect('full', {limits})).version())
      expect(error.code).to.equal(code)
      expect((await sandbox.stats()).total).to.be.at.most(3)
      expectNoCanary(error)
    })

    // What Proxmox surely refuses has had no effect.
    for (const when of executed === 'no' ? ['before'] : ['before', 'after']) {
      it(`a mutation struck by ${name} ${when} its effect is sent once, and known as ${executed}`, async () => {
        const intent = await change()
        await sandbox.control({fault: {...fault, path: CONFIG_PATH, when, times: 1}})
        const error = await rejection(createWriter(sandbox.connect('full', {limits})).dispatch(intent))
        expect(error).to.be.instanceOf(DispatchError).and.include({code, executed})
        expect((await sandbox.stats()).requests).to.satisfy(
          (requests: Record<string, number>) =>
            Object.entries(requests).reduce(
              (sum, [route, n]) => sum + (route.startsWith('PUT') ? n : 0),
              0,
            ) <= 1,
        )
        if (when === 'after') expect(tagsNow()).to.equal('new')
      })
    }
  }

  it('a mutation that is merely slow succeeds', async () => {
    const intent = await change()
    await sandbox.control({fault: {kind: 'delay', ms: 20, path: CONFIG_PATH}})
    const writer = createWriter(sandbox.connect())
    expect(await writer.dispatch(intent)).to.deep.equal({kind: 'done'})
    expect((await sandbox.stats()).requests).to.have.property('PUT /nodes/{node}/lxc/{vmid}/config', 1)
  })

  it('a task whose answer was lost is found among the tasks of the node, and was started once', async () => {
    const reader = createReader(sandbox.connect())
    const known = new Set((await reader.listTasks('pve', {vmid: 102})).map((task) => task.upid.text))
    await sandbox.control({
      fault: {kind: 'cut', afterBytes: 20, when: 'after', path: '/nodes/pve/lxc/102/status/start'},
    })
    const error = await rejection(
      createWriter(sandbox.connect()).dispatch(journaledIntent(GUEST, {type: 'start'})),
    )
    expect(error).to.include({executed: 'ambiguous'})
    const tasks = await reader.listTasks('pve', {vmid: 102})
    const orphans = tasks.filter((task) => !known.has(task.upid.text))
    expect(orphans.map(({upid}) => [upid.type, upid.user])).to.deep.equal([['vzstart', 'root@pam!felhom']])
  })

  it('many reads get over a burst of errors', async () => {
    await sandbox.control({fault: {kind: 'status', status: 596, times: 5}})
    await sandbox.control({fault: {kind: 'reset', times: 5}})
    await sandbox.control({fault: {kind: 'cut', when: 'after', afterBytes: 5, times: 5}})
    const cluster = await createReader(sandbox.connect('full', {limits: {tries: 20}})).readCluster()
    expect(cluster.guests).to.have.length(6)
    expect(cluster.completeness).to.deep.equal({complete: true})
  })
})

describe('under delays of the sandbox', () => {
  // Each with a sandbox of its own: what is delayed takes effect, and is counted, after the client has gone.
  let sandbox: TestSandbox

  beforeEach(async () => {
    sandbox = await TestSandbox.start()
  })
  afterEach(() => sandbox.close())

  it('a read gives up on the late answer and asks again', async () => {
    await sandbox.control({fault: {kind: 'delay', ms: 1500, path: '/version', times: 1}})
    const reader = createReader(sandbox.connect('full', {limits}))
    expect((await reader.version()).version).to.equal('9.1.10')
  })

  it('a read that meets nothing but delays ends in bounded tries', async () => {
    await sandbox.control({fault: {kind: 'delay', ms: 1500, path: '/version', times: 100}})
    const reader = createReader(sandbox.connect('full', {limits: {...limits, readTimeoutMs: 100}}))
    expect((await rejection(reader.version())).code).to.equal('timeout')
  })

  it('a mutation that is late is in doubt, and takes effect once', async () => {
    const {digest} = await createReader(sandbox.connect()).readConfig(GUEST)
    await sandbox.control({fault: {kind: 'delay', ms: 600, path: CONFIG_PATH, times: 1}})
    const writer = createWriter(sandbox.connect('full', {limits: {...limits, writeTimeoutMs: 200}}))
    const error = await rejection(
      writer.dispatch(journaledIntent(GUEST, setConfig({tags: 'late'}), {digest})),
    )
    expect(error).to.include({code: 'timeout', executed: 'ambiguous'})
    const route = 'PUT /nodes/{node}/lxc/{vmid}/config'
    await waitFor(async () => (await sandbox.stats()).requests[route] === 1)
    expect(sandbox.sandbox.cluster.guest(102)?.config['tags']).to.equal('late')
  })
})

// What a network and a server do to one request on a bad day: the answer cut at every byte, reset, stalled, doubled,
// replaced by an error. Whatever comes back, Proxmox was asked once, and the error says whether it can have acted.
import {expect} from 'chai'
import {DispatchError, type Executed} from '../../../src/lib/model/dispatch-error.ts'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {OperationBody} from '../../../src/lib/model/operation.ts'
import type {Connection} from '../../../src/lib/pve/connection.ts'
import {createWriter, type Dispatched} from '../../../src/lib/pve/write.ts'
import {journaledIntent, setConfig} from '../../support/journaled-intent.ts'
import {httpAnswer, resetConnection} from '../../support/scripted-server.ts'
import {StruckProxmox, type Strike} from '../../support/struck-proxmox.ts'
import {Bench} from '../../support/test-connection.ts'

interface Operation {
  readonly target: GuestAddress
  readonly body: OperationBody
  /** The one task that it starts; absent: none. */
  readonly task?: string
}

const lxc = (vmid: number): GuestAddress => ({kind: 'lxc', node: 'pve', vmid})
const qemu = (vmid: number): GuestAddress => ({kind: 'qemu', node: 'pve', vmid})
const TEMPLATE = 'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz'
const nothing = {options: {}, secrets: [], marker: []}

const OPERATIONS: Record<string, Operation> = {
  'a config change': {target: lxc(102), body: setConfig({tags: 'struck'})},
  'a resize': {
    target: qemu(201),
    body: {type: 'resize', disk: 'scsi0', toBytes: 2 * 1024 ** 3},
    task: 'resize 201',
  },
  'a creation': {
    target: lxc(150),
    body: {type: 'create', from: {template: TEMPLATE, storage: 'local'}, ...nothing},
    task: 'vzcreate 150',
  },
  'a clone': {
    target: qemu(250),
    body: {type: 'create', from: {clone: 201, full: true}, sourceNode: 'pve', ...nothing},
    task: 'qmclone 201',
  },
  'a destruction': {target: lxc(102), body: {type: 'destroy'}, task: 'vzdestroy 102'},
  'a start': {target: qemu(201), body: {type: 'start'}, task: 'qmstart 201'},
  'a shutdown': {
    target: lxc(101),
    body: {type: 'shutdown', timeoutMs: 60_000, force: true},
    task: 'vzshutdown 101',
  },
  'a restart': {target: lxc(101), body: {type: 'restart'}, task: 'vzreboot 101'},
}

/** Long enough for an answer on a busy machine; only where silence is the fault is it waited for. */
const STALL_MS = 150

describe('under faults of the wire', () => {
  const bench = new Bench()
  const proxmox = new StruckProxmox(bench)
  after(() => bench.close())

  let connection: Connection
  before(async () => {
    await proxmox.reset()
    connection = await proxmox.connect({writeTimeoutMs: 20_000})
  })

  /** What came of one request that met this fault. */
  async function send(
    {target, body}: Operation,
    strike: Strike,
    over = connection,
  ): Promise<Dispatched | DispatchError> {
    await proxmox.reset(strike)
    const digest = await digestOf(target)
    const intent = journaledIntent(target, body, digest === undefined ? {} : {digest})
    try {
      return await createWriter(over).dispatch(intent)
    } catch (error) {
      if (error instanceof DispatchError) return error
      throw error
    }
  }

  async function digestOf({kind, vmid}: GuestAddress): Promise<string | undefined> {
    const {data} = await proxmox.sandbox.get(`/nodes/pve/${kind}/${vmid}/config`)
    return (data as {digest?: string} | null)?.digest
  }

  /** One request, carried out once. */
  async function expectOnce({target, task}: Operation): Promise<void> {
    expect(proxmox.requests()).to.have.length(1)
    expect(await proxmox.newTasks()).to.deep.equal(task === undefined ? [] : [task])
    if (task === undefined) {
      expect(proxmox.sandbox.cluster.guest(target.vmid)?.config['tags']).to.equal('struck')
    }
  }

  function expectDoubt(outcome: Dispatched | DispatchError, executed: Executed = 'ambiguous'): void {
    expect(outcome).to.be.instanceOf(DispatchError).and.to.have.property('executed', executed)
  }

  for (const [name, operation] of Object.entries(OPERATIONS)) {
    it(`${name} whose answer is cut at any byte is in doubt, and was carried out once`, async () => {
      await send(operation, (answer, socket) => socket.end(answer))
      const {length} = proxmox.answer
      for (let cut = 0; cut < length; cut++) {
        expectDoubt(await send(operation, (answer, socket) => socket.end(answer.subarray(0, cut))))
        await expectOnce(operation)
      }
    })
  }

  const STATUSES: Record<number, Executed> = {
    ...{500: 'ambiguous', 502: 'ambiguous', 503: 'ambiguous', 504: 'ambiguous', 596: 'ambiguous'},
    ...{597: 'ambiguous', 598: 'ambiguous', 599: 'ambiguous', 401: 'no', 403: 'no', 501: 'no', 595: 'no'},
  }
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    it(`${name} is sent once into a burst of errors, and in doubt unless they rule it out`, async () => {
      for (const [status, executed] of Object.entries(STATUSES)) {
        const error = httpAnswer(Number(status), 'struck', '')
        expectDoubt(await send(operation, (_, socket) => socket.end(error)), executed)
        await expectOnce(operation)
      }
    })

    it(`${name} that is reset at any time is in doubt, and was carried out once`, async () => {
      for (const share of [0, 0.3, 0.9]) {
        const strike: Strike = (answer, socket) => {
          socket.write(answer.subarray(0, share * answer.length), () => resetConnection(socket))
        }
        expectDoubt(await send(operation, strike))
        await expectOnce(operation)
      }
    })

    it(`${name} that is not answered in time is in doubt, and was carried out once`, async () => {
      const hasty = await proxmox.connect({writeTimeoutMs: STALL_MS})
      for (const share of [0, 0.9]) {
        const strike: Strike = (answer, socket) => socket.write(answer.subarray(0, share * answer.length))
        const outcome = await send(operation, strike, hasty)
        expectDoubt(outcome)
        expect(outcome).to.have.property('code', 'timeout')
        await expectOnce(operation)
      }
    })

    it(`${name} whose answer comes twice, and late, is done once`, async () => {
      const strike: Strike = (answer, socket) => {
        setTimeout(() => socket.end(Buffer.concat([answer, answer])), 5)
      }
      expect(await send(operation, strike)).to.have.property(
        'kind',
        operation.task === undefined ? 'done' : 'task',
      )
      await expectOnce(operation)
    })
  }

  it('a refusal counts only when it is whole', async () => {
    const refusal = Buffer.from(httpAnswer(403, 'Permission check failed', '{"data":null}'))
    const start: Operation = {target: lxc(102), body: {type: 'start'}}
    for (let cut = 0; cut <= refusal.length; cut++) {
      const outcome = await send(start, (_, socket) => socket.end(refusal.subarray(0, cut)))
      expectDoubt(outcome, cut === refusal.length ? 'no' : 'ambiguous')
    }
  })
})

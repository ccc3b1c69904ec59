// What is decided about must still be what is there: between the operator's look and the lock others may write.
import {expect} from 'chai'
import {rearm, resolveOperation, type UpkeepRequest} from '../../../../src/lib/app/journal/journal-upkeep.ts'
import {openJournalView} from '../../../../src/lib/app/journal/journal-view.ts'
import type {Operation} from '../../../../src/lib/model/operation.ts'
import {readAudit} from '../../../../src/lib/store/audit/read-audit.ts'
import {systemDisk} from '../../../../src/lib/store/system-disk.ts'
import {intentOf, RUN, UPID} from '../../../support/operations.ts'
import {rejection} from '../../../support/reject.ts'
import {StateDirectory} from '../../../support/state-directory.ts'

const OTHER_UPID = UPID.replace('vzstart', 'vzstop')

describe("the operator's word on the journal", () => {
  let state: StateDirectory
  let request: UpkeepRequest
  beforeEach(() => {
    state = new StateDirectory({endpoint: 'https://pve.example:8006', tokenId: 'root@pam!felhom'})
    request = {
      settings: {state: state.path},
      holder: 'a test',
      lockTimeoutMs: 0,
      signal: new AbortController().signal,
      warn: (text) => {
        throw new Error(text)
      },
      onLocked: () => undefined,
    }
  })
  afterEach(() => {
    state.remove()
  })

  const seen = async (): Promise<Operation> => {
    const [operation] = (await openJournalView(request.settings)).openOperations()
    if (!operation) throw new Error('nothing is open')
    return operation
  }

  const resolution = {as: 'failed', reason: 'looked at it'} as const

  it('settles the operation that was shown', async () => {
    await state.write(async (journal) => {
      await journal.start(intentOf(1, {type: 'start'}))
    })
    const resolved = await resolveOperation(request, await seen(), resolution)
    expect(resolved).to.deep.include({state: 'failed', by: 'operator', reason: 'looked at it'})
    expect((await openJournalView(request.settings)).openOperations()).to.deep.equal([])
  })

  it('is not taken when the operation has moved on since', async () => {
    await state.write(async (journal) => {
      await journal.start(intentOf(1, {type: 'start'}))
    })
    const before = await seen()
    await state.write((journal) => journal.taskRunning(`${RUN}.1`, UPID))
    const error = await rejection(resolveOperation(request, before, resolution))
    expect(error.code).to.equal('declined')
    expect(error.message).to.equal(`${RUN}.1 has changed since it was shown: it is task_running now`)
    await state.write((journal) =>
      journal.settle(`${RUN}.1`, {state: 'satisfied', by: 'recover', reason: 'x'}),
    )
    expect((await rejection(resolveOperation(request, before, resolution))).message).to.match(
      /satisfied now$/,
    )
  })

  it('re-arms for the tasks that were shown and for no others', async () => {
    await state.write((journal) => journal.disarm([UPID, OTHER_UPID]))
    const error = await rejection(rearm(request, [UPID]))
    expect(error.code).to.equal('declined')
    expect((await openJournalView(request.settings)).disarmed()).to.have.members([UPID, OTHER_UPID])
    await rearm(request, [UPID, OTHER_UPID])
    const view = await openJournalView(request.settings)
    expect(view.disarmed()).to.deep.equal([])
    expect(view.knowsTask(UPID)).to.equal(true)
    const audited: unknown[] = []
    for await (const {type, ...record} of readAudit({disk: systemDisk, dir: state.path}))
      audited.push([type, 'tasks' in record && record.tasks])
    expect(audited, 'the audit').to.deep.equal([['journal_rearmed', [UPID, OTHER_UPID]]])
  })

  it('makes no journal where there is none', async () => {
    expect((await rejection(rearm(request, []))).message).to.match(/^there is no journal in /)
  })
})

// Which run an undo is about.
import {expect} from 'chai'
import {findLatestRun, findNamedRun} from '../../../../src/lib/app/undo/undo-find.ts'
import type {Intent, Operation, OperationBody} from '../../../../src/lib/model/operation.ts'
import {intentOf, operationOf} from '../../../support/operations.ts'

const START: OperationBody = {type: 'start'}
const RESTART: OperationBody = {type: 'restart'}
const CREATE: OperationBody = {type: 'create', from: {empty: true}, options: {}, secrets: [], marker: []}

const of = (run: string, atMs: number, body: OperationBody, more: Partial<Intent> = {}): Operation =>
  operationOf(intentOf(1, body, {op: `${run}.1`, run, atMs, ...more}))

async function* stream(operations: readonly Operation[]): AsyncGenerator<Operation> {
  await Promise.resolve()
  yield* operations
}

const view = (...operations: Operation[]): Parameters<typeof findNamedRun>[0] => ({
  operations: () => stream(operations),
  records: async function* () {
    await Promise.resolve()
    yield* []
  },
})

describe('the latest run that can be undone', () => {
  it('is the newest, in whatever order its operations have ended', async () => {
    const found = await findLatestRun(view(of('b', 2, START), of('a', 1, START)))
    expect(found).to.deep.equal({run: 'b', newer: undefined})
  })

  it('is not one without a way back, which is named', async () => {
    const found = await findLatestRun(view(of('a', 1, START), of('b', 2, RESTART)))
    expect(found).to.deep.equal({run: 'a', newer: 'b'})
  })

  it('is not one that only started what it had created', async () => {
    const found = await findLatestRun(view(of('a', 1, CREATE), of('a', 2, START)))
    expect(found).to.deep.equal({run: undefined, newer: 'a'})
  })

  it('is found behind however many others', async () => {
    const others = Array.from({length: 200}, (_, n) => of(`r${n}`, n + 10, RESTART))
    expect((await findLatestRun(view(of('a', 1, START), ...others))).run).to.equal('a')
  })

  it('is none in an empty journal', async () => {
    expect(await findLatestRun(view())).to.deep.equal({run: undefined, newer: undefined})
  })
})

describe('a run by its name', () => {
  const journal = view(of('20260101T000000-ab12', 1, START), of('20260102T000000-cd34', 2, START))
  const refusal = (name: string): Promise<string> =>
    findNamedRun(journal, name).then(
      (run) => `found ${run}`,
      (error: unknown) => (error as Error).message,
    )

  it('is meant by its end or its beginning', async () => {
    expect(await findNamedRun(journal, 'ab12')).to.equal('20260101T000000-ab12')
    expect(await findNamedRun(journal, '20260102')).to.equal('20260102T000000-cd34')
  })

  it('is not guessed at, and is no operation', async () => {
    expect(await refusal('2026')).to.contain('may mean any of 2')
    expect(await refusal('zz')).to.contain('the journal has no')
    expect(await refusal('ab12.1')).to.contain('is an operation, not a run')
  })
})

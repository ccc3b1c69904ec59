import {expect} from 'chai'
import {findInJournal, findOpen} from '../../../../src/lib/app/journal/journal-find.ts'
import {listOperations, readSince, type ListRequest} from '../../../../src/lib/app/journal/journal-list.ts'
import type {JournalView} from '../../../../src/lib/app/journal/journal-view.ts'
import type {Operation} from '../../../../src/lib/model/operation.ts'
import {intentOf, openOf, operationOf, RUN, RUN_MS, UPID} from '../../../support/operations.ts'
import {rejection} from '../../../support/reject.ts'

const OTHER = '20261117T000000-cd34'
const HOUR = 3_600_000

const operations: readonly Operation[] = [
  operationOf(intentOf(2, {type: 'start'}, {run: OTHER, op: `${OTHER}.2`, atMs: RUN_MS - 30 * HOUR})),
  operationOf(intentOf(1, {type: 'destroy'}, {run: OTHER, op: `${OTHER}.1`, atMs: RUN_MS - 31 * HOUR}), {
    state: 'failed',
  }),
  operationOf(intentOf(10, {type: 'start'}, {target: {kind: 'qemu', vmid: 200, node: 'pve1'}})),
  operationOf(intentOf(3, {type: 'restart'}), {state: 'quarantined'}),
  openOf(intentOf(1, {type: 'start'}), 'task_running', UPID),
]

async function* each<T>(items: readonly T[]): AsyncIterable<T> {
  for (const item of items) yield await Promise.resolve(item)
}

const view: Pick<JournalView, 'operations' | 'records'> = {
  operations: (filter = {}) =>
    each(
      operations.filter(
        ({intent}) =>
          (filter.run === undefined || intent.run === filter.run) &&
          (filter.vmid === undefined || intent.target.vmid === filter.vmid),
      ),
    ),
  records: () =>
    each([
      {type: 'started' as const, intent: intentOf(1, {type: 'start'}), seq: 2, at: RUN_MS},
      {type: 'absence' as const, op: `${RUN}.1`, sinceMs: null, seq: 3, at: RUN_MS + 1},
      {type: 'task_running' as const, op: `${RUN}.1`, upid: UPID, seq: 4, at: RUN_MS + 2},
    ]),
}

const list = async (request: Partial<ListRequest>): Promise<string[]> => {
  const {operations: listed} = await listOperations(view, {limit: 50, ...request}, RUN_MS + HOUR)
  return listed.map(({intent}) => intent.op.slice(-6))
}

describe('the list of operations that is asked for', () => {
  it('is newest first, whatever the order in which they ended', async () => {
    expect(await list({})).to.deep.equal(['b12.10', 'ab12.3', 'ab12.1', 'cd34.2', 'cd34.1'])
  })

  it('is of a run, a guest, or a state', async () => {
    expect(await list({run: OTHER})).to.deep.equal(['cd34.2', 'cd34.1'])
    expect(await list({target: '200'})).to.deep.equal(['b12.10'])
    expect(await list({target: 'lxc/200'})).to.deep.equal([])
    expect(await list({states: ['failed', 'quarantined']})).to.deep.equal(['ab12.3', 'cd34.1'])
    expect(await list({states: ['open']})).to.deep.equal(['ab12.3', 'ab12.1'])
  })

  it('begins at a time, or a duration ago', async () => {
    expect(await list({since: '24h'})).to.deep.equal(['b12.10', 'ab12.3', 'ab12.1'])
    expect(await list({since: '2026-11-17'})).to.deep.equal(['b12.10', 'ab12.3', 'ab12.1', 'cd34.2'])
  })

  it('keeps the newest and counts all', async () => {
    const many = Array.from({length: 500}, (_, i) =>
      operationOf(intentOf(i, {type: 'start'}, {atMs: RUN_MS + ((i * 7919) % 500)})),
    )
    const {operations: kept, total} = await listOperations({operations: () => each(many)}, {limit: 3}, RUN_MS)
    expect(total).to.equal(500)
    expect(kept.map(({intent}) => intent.atMs - RUN_MS)).to.deep.equal([499, 498, 497])
  })

  it('refuses what is no guest and no time', async () => {
    for (const request of [
      {target: 'web-1'},
      {target: 'vm/101'},
      {since: 'yesterday'},
      {since: '2026-13-45'},
    ]) {
      expect((await rejection(list(request))).code, JSON.stringify(request)).to.equal('usage')
    }
  })

  it('takes a time without a zone as UTC', () => {
    const noon = Date.UTC(2026, 10, 18, 12)
    for (const text of [
      '2026-11-18T12:00',
      '2026-11-18 12:00:00',
      '2026-11-18T12:00:00Z',
      '2026-11-18T13:00+01:00',
    ])
      expect(readSince(text, 0), text).to.equal(noon)
  })
})

describe('what is meant by the beginning or the end of a name', () => {
  it('is an operation when it has a number, with its records', async () => {
    const found = await findInJournal(view, 'ab12.1')
    expect(found.kind === 'operation' && found.story.operation.intent.op).to.equal(`${RUN}.1`)
    expect(found.kind === 'operation' && found.story.records).to.deep.equal([
      {atMs: RUN_MS, state: 'started'},
      {atMs: RUN_MS + 2, state: 'task_running', upid: UPID},
    ])
  })

  it('is itself when it is whole, though another begins with it', async () => {
    const found = await findInJournal(view, `${RUN}.1`)
    expect(found.kind === 'operation' && found.story.operation.intent.op).to.equal(`${RUN}.1`)
  })

  it('is a run when it has none, first to last', async () => {
    for (const name of ['cd34', '20261117', OTHER]) {
      const found = await findInJournal(view, name)
      expect(found.kind === 'run' && found.operations.map(({intent}) => intent.op)).to.deep.equal([
        `${OTHER}.1`,
        `${OTHER}.2`,
      ])
    }
  })

  it('is refused when it means several or nothing, with what it could mean', async () => {
    const several = await rejection(findInJournal(view, '.1'))
    expect(several.message).to.match(/may mean any of 2: .*cd34\.1.*ab12\.1/)
    const none = await rejection(findInJournal(view, 'ff00'))
    expect(none.message).to.equal('the journal has no operation or run "ff00"')
    expect((await rejection(findInJournal(view, ''))).code).to.equal('usage')
  })

  it('among the open ones is the one that is open', () => {
    const open = operations.slice(3)
    expect(findOpen(open, 'ab12.3').state).to.equal('quarantined')
    expect(() => findOpen(open, 'cd34.1')).to.throw('no open operation "cd34.1"')
    expect(() => findOpen(open, RUN)).to.throw('may mean any of 2')
  })
})

import {expect} from 'chai'
import type {OperationBody} from '../../../src/lib/model/operation.ts'
import {encodeOperation} from '../../../src/lib/report/journal-json.ts'
import {renderOperations} from '../../../src/lib/report/journal-list-text.ts'
import {renderStory} from '../../../src/lib/report/journal-show-text.ts'
import type {OperationStory} from '../../../src/lib/report/journal-story.ts'
import {showAge, showDuration, showTime, showWait} from '../../../src/lib/report/journal-times.ts'
import {describeBody} from '../../../src/lib/report/journal-words.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {cellWidth} from '../../../src/lib/report/text-table.ts'
import {expectGolden} from '../../support/golden.ts'
import {intentOf, operationOf, RUN_MS, UPID} from '../../support/operations.ts'

const plain = makePalette(false)
const COLOUR = /\u001b\[\d+m/g
/** Everything that a terminal would act on, but for line feeds. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

describe('times of the journal', () => {
  it('are UTC to the second, and ages in one unit', () => {
    expect(showTime(RUN_MS + 999)).to.equal('2026-11-18T06:03:11Z')
    const ages: [number, string][] = [
      [0, 'just now'],
      [999, 'just now'],
      [1000, '1 s ago'],
      [59_999, '59 s ago'],
      [60_000, '1 min ago'],
      [3_600_000, '1 h ago'],
      [47 * 3_600_000, '47 h ago'],
      [48 * 3_600_000, '2 days ago'],
      [-500, 'just now'],
      [-90_000, 'in 1 min'],
    ]
    for (const [age, text] of ages) expect(showAge(RUN_MS, RUN_MS + age)).to.equal(text)
  })

  it('never tell a wait shorter than it is', () => {
    expect(showDuration(119_000)).to.equal('1 min')
    expect([1, 44_001, 60_000, 61_000, 3_599_000].map(showWait)).to.deep.equal([
      '1 s',
      '45 s',
      '60 s',
      '2 min',
      '1 h',
    ])
  })
})

describe('the words for an operation', () => {
  const bodies: [OperationBody, string][] = [
    [
      {type: 'set-config', set: {cores: '2', memory: '1024'}, delete: ['swap']},
      'set cores, memory; remove swap',
    ],
    [{type: 'set-config', set: {}, delete: ['swap']}, 'remove swap'],
    [
      {type: 'set-config', set: {}, delete: [], secrets: ['cipassword'], revert: ['tty']},
      'set cipassword; take back tty',
    ],
    [{type: 'resize', disk: 'rootfs', toBytes: 16 * 2 ** 30}, 'grow rootfs to 16GiB'],
    [create({template: 'local:vztmpl/debian.tar.zst'}), 'create from local:vztmpl/debian.tar.zst'],
    [create({clone: 9000, full: true}), 'create as a full clone of 9000'],
    [create({restore: 'local:backup/x.zst'}), 'create from backup local:backup/x.zst'],
    [create({empty: true}), 'create empty'],
    [{type: 'destroy'}, 'destroy'],
    [{type: 'start'}, 'start'],
    [{type: 'shutdown', timeoutMs: 60_000, force: false}, 'shut down'],
    [{type: 'shutdown', timeoutMs: 60_000, force: true}, 'shut down, or stop hard'],
    [{type: 'restart'}, 'restart'],
  ]
  for (const [body, words] of bodies) {
    it(`say '${words}'`, () => {
      expect(describeBody(body)).to.equal(words)
    })
  }
})

function create(from: Extract<OperationBody, {type: 'create'}>['from']): OperationBody {
  return {type: 'create', from, options: {}, secrets: [], marker: []}
}

describe('the list of operations', () => {
  const operations = [
    operationOf(intentOf(3, {type: 'start'}), {state: 'task_running', upid: UPID}),
    operationOf(intentOf(2, {type: 'destroy'}, {target: {kind: 'qemu', vmid: 200, node: 'pve2'}}), {
      state: 'quarantined',
      by: 'recover',
      reason: 'there is debris',
    }),
    operationOf(
      intentOf(1, {
        type: 'set-config',
        set: {cores: '2', description: 'x', memory: '1024'},
        delete: ['swap'],
      }),
    ),
  ]
  const list = (width: number, colour = false, total = 3): string =>
    renderOperations({operations, total}, {palette: makePalette(colour), width, nowMs: RUN_MS + 200_000})

  it('says that there are none', () => {
    expect(renderOperations({operations: [], total: 0}, {palette: plain, width: 80, nowMs: 0})).to.equal(
      'No operations.',
    )
  })

  it('fits 80 columns, where what was done is cut', () => {
    expectGolden('journal-list.txt', `${list(80)}\n`)
    for (const line of list(80).split('\n')) expect(cellWidth(line), line).to.be.at.most(80)
  })

  it('is whole on a pipe, with the time beside the age', () => {
    expectGolden('journal-list-pipe.txt', `${list(Infinity)}\n`)
  })

  it('is the same text in colour, but for the colour', () => {
    expect(list(80, true)).to.match(COLOUR)
    expect(list(80, true).replaceAll(COLOUR, '')).to.equal(list(80))
  })

  it('says how many there are beyond its limit', () => {
    expect(list(80, false, 70)).to.match(/\n3 of 70 operations, newest first; see more with --limit\.$/)
  })
})

describe('the story of an operation', () => {
  const options = {palette: plain, width: 80, nowMs: RUN_MS + 200_000, showValue: showPlainly}
  const started = {atMs: RUN_MS + 1000, state: 'started'} as const

  const stories: Record<string, OperationStory> = {
    'set-config': {
      operation: operationOf(
        intentOf(
          1,
          {
            type: 'set-config',
            set: {cores: '2', description: 'Front end\nof the shop\n', tags: 'web'},
            delete: ['swap'],
            revert: ['tty'],
            secrets: ['cipassword'],
          },
          {
            before: {
              run: 'running',
              options: {
                cores: '1',
                description: 'Front end\nof nothing\n',
                tags: null,
                swap: '512',
                tty: '4',
              },
            },
          },
        ),
      ),
      records: [started, {atMs: RUN_MS + 1150, state: 'succeeded', by: 'engine', reason: ''}],
    },
    start: {
      operation: operationOf(
        intentOf(2, {type: 'start'}, {before: {run: 'stopped', options: {}}, knownTasks: [UPID, UPID]}),
        {
          state: 'satisfied',
          upid: UPID,
          by: 'recover',
          reason: 'its task is no longer known and the guest runs',
        },
      ),
      records: [
        started,
        {atMs: RUN_MS + 1100, state: 'task_running', upid: UPID},
        {
          atMs: RUN_MS + 90_000,
          state: 'satisfied',
          by: 'recover',
          reason: 'its task is no longer known and the guest runs',
        },
      ],
    },
    create: {
      operation: operationOf(newGuest(), {
        state: 'quarantined',
        by: 'recover',
        reason: 'a guest of this number is there, locked by "create": it may be half made',
      }),
      records: [
        started,
        {
          atMs: RUN_MS + 700_000,
          state: 'quarantined',
          by: 'recover',
          reason: 'a guest of this number is there, locked by "create": it may be half made',
        },
      ],
    },
  }

  for (const [name, story] of Object.entries(stories)) {
    it(`of ${name} reads as it did, within 80 columns`, () => {
      const text = renderStory(story, options)
      expectGolden(`journal-show-${name}.txt`, `${text}\n`)
      for (const line of text.split('\n')) expect(cellWidth(line), line).to.be.at.most(80)
    })

    it(`of ${name} is the same in colour, but for the colour`, () => {
      const text = renderStory(story, {...options, palette: makePalette(true)})
      expect(text.replaceAll(COLOUR, '')).to.equal(renderStory(story, options))
    })
  }

  it('obeys nothing of what names, values and reasons hold', () => {
    const evil = '\u001b[2Jx\u202e\n  2026-01-01T00:00:00.000Z  succeeded'
    const intent = intentOf(
      1,
      {type: 'set-config', set: {hostname: evil}, delete: [evil]},
      {
        name: evil,
        digest: evil,
        key: evil,
        before: {run: 'running', options: {hostname: evil, [evil]: evil}},
      },
    )
    const operation = operationOf(intent, {state: 'failed', reason: evil, upid: evil})
    const text = renderStory(
      {
        operation,
        records: [
          {...started, upid: evil},
          {...started, reason: evil},
        ],
      },
      options,
    )
    expect(text).not.to.match(ACTIVE)
    expect(text.match(/^ {2}2026-01-01/gm)).to.equal(null)
    const list = renderOperations({operations: [operation], total: 1}, {...options, width: Infinity})
    expect(list).not.to.match(ACTIVE)
    expect(list.split('\n')).to.have.length(4)
  })

  it('as JSON says the same in fields', () => {
    const {operation} = stories['start'] ?? {}
    expect(operation && encodeOperation(operation)).to.deep.include({
      guest: 'lxc/101',
      action: 'start',
      state: 'satisfied',
      open: false,
      task: UPID,
      started: '2026-11-18T06:03:13.000Z',
      by: 'recover',
    })
  })
})

function newGuest(): OperationStory['operation']['intent'] {
  const {identity, digest, ...rest} = intentOf(3, {
    type: 'create',
    from: {template: 'local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst', storage: 'local-lvm'},
    options: {hostname: 'db-1', net0: 'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:00:07'},
    secrets: ['password'],
    marker: ['BC:24:11:00:00:07'],
  })
  expect(identity && digest).to.be.a('string')
  return {...rest, before: {run: 'stopped', options: {}}}
}

function showPlainly(_kind: unknown, _option: string, text: string): string {
  return JSON.stringify(text)
}

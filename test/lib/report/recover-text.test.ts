import {expect} from 'chai'
import {
  encodeInflight,
  renderInflight,
  type OpenOperation,
} from '../../../src/lib/report/journal-inflight-text.ts'
import {describeAlarms, renderAlarms} from '../../../src/lib/report/journal-rearm-text.ts'
import {
  renderCheck,
  renderCompaction,
  renderRepair,
  type CheckedJournal,
} from '../../../src/lib/report/journal-verify-text.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {encodeRecovery, renderRecovery, type RecoveryReport} from '../../../src/lib/report/recover-text.ts'
import {cellWidth} from '../../../src/lib/report/text-table.ts'
import {expectGolden} from '../../support/golden.ts'
import {intentOf, openOf, operationOf, RUN_MS, UPID} from '../../support/operations.ts'

const plain = makePalette(false)
const nowMs = RUN_MS + 200_000
const options = {palette: plain, width: 80, nowMs}
const COLOUR = /\u001b\[\d+m/g
/** Everything that a terminal would act on, but for line feeds. */
const ACTIVE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const EVIL = '\u001b[2Jx\u202e\nfake line'

const expectNarrow = (text: string): void => {
  for (const line of text.split('\n')) expect(cellWidth(line), line).to.be.at.most(80)
}

const running = openOf(intentOf(1, {type: 'start'}), 'task_running', UPID)
const started = openOf(
  intentOf(2, {type: 'set-config', set: {cores: '2', memory: '1024'}, delete: ['swap']}),
  'started',
)
const half = operationOf(
  intentOf(
    3,
    {type: 'create', from: {clone: 9000, full: true}, options: {}, secrets: [], marker: []},
    {target: {kind: 'qemu', vmid: 210, node: 'pve2'}, name: 'app-1'},
  ),
  {state: 'quarantined', by: 'recover', reason: 'a guest of this number is there, and it is locked'},
)
const open: readonly OpenOperation[] = [
  {
    operation: running,
    decision: {verdict: 'wait', reason: 'its task is running', lookAgainMs: nowMs + 30_000},
  },
  {operation: started, decision: {verdict: 'satisfied', reason: 'no answer came; the guest is as wanted'}},
  {operation: half, decision: {verdict: 'quarantine', reason: 'there is a guest, and it is not ours'}},
]

describe('the list of what is in flight', () => {
  it('says that there is nothing', () => {
    expect(renderInflight([], options)).to.equal('Nothing is in flight.')
  })

  it('says of each what recover would do, within 80 columns', () => {
    const text = renderInflight(open, options)
    expectGolden('journal-inflight.txt', `${text}\n`)
    expectNarrow(text)
  })

  it('is as whole without an answer of Proxmox, but for what recover would do', () => {
    const text = renderInflight(
      open.map(({operation}) => ({operation})),
      options,
    )
    expect(text).to.contain(running.intent.op).and.not.contain('would')
  })

  it('is the same text in colour, but for the colour', () => {
    const text = renderInflight(open, {...options, palette: makePalette(true)})
    expect(text).to.match(COLOUR)
    expect(text.replaceAll(COLOUR, '')).to.equal(renderInflight(open, options))
  })

  it('as JSON has the decision and the age of each', () => {
    const {operations} = encodeInflight(open, nowMs)
    expect(operations.map(({ageMs, recover}) => [ageMs, recover?.verdict])).to.deep.equal([
      [199_000, 'wait'],
      [198_000, 'satisfied'],
      [197_000, 'quarantine'],
    ])
    expect(operations[0]?.recover?.lookAgain).to.equal('2026-11-18T06:07:01.000Z')
  })
})

describe('what recover decided', () => {
  const report: RecoveryReport = {
    decisions: open.flatMap(({operation, decision}) => (decision ? [{operation, decision}] : [])),
    open: [running, half],
    lookAgainMs: nowMs + 30_000,
    disarmed: [],
  }

  it('reads as it did, with its reasons, and says when to come back', () => {
    const text = renderRecovery(report, {...options, dryRun: false})
    expectGolden('recover.txt', `${text}\n`)
    expectNarrow(text)
  })

  it('says of a dry run that it would be so', () => {
    const text = renderRecovery({...report, open: [running, started, half]}, {...options, dryRun: true})
    expectGolden('recover-dry-run.txt', `${text}\n`)
    expectNarrow(text)
  })

  it('says that nothing is open', () => {
    const nothing = {decisions: [], open: [], disarmed: []}
    expect(renderRecovery(nothing, {...options, dryRun: false})).to.equal('Nothing is open.')
  })

  it('is not done with what was not decided, such as after Ctrl-C', () => {
    const text = renderRecovery({decisions: [], open: [running], disarmed: []}, {...options, dryRun: false})
    expect(text).to.contain('0 operations settled, 1 open.')
  })

  it('is the same text in colour, but for the colour', () => {
    const text = renderRecovery(report, {...options, palette: makePalette(true), dryRun: false})
    expect(text.replaceAll(COLOUR, '')).to.equal(renderRecovery(report, {...options, dryRun: false}))
  })

  it('as JSON names what is open and the time to come back', () => {
    const json = encodeRecovery(report, false)
    expect(json.open).to.deep.equal([running.intent.op, half.intent.op])
    expect(json.lookAgain).to.equal('2026-11-18T06:07:01.000Z')
    expect(json.decisions[1]?.decision).to.deep.equal({
      verdict: 'satisfied',
      reason: 'no answer came; the guest is as wanted',
      lookAgain: null,
    })
  })

  it('obeys nothing of what names and reasons hold', () => {
    const evil = operationOf(intentOf(1, {type: 'start'}, {name: EVIL}), {
      state: 'started',
      upid: EVIL,
      reason: EVIL,
    })
    const decision = {verdict: 'failed', reason: EVIL} as const
    const texts = [
      renderRecovery(
        {decisions: [{operation: evil, decision}], open: [evil], disarmed: []},
        {...options, dryRun: true},
      ),
      renderInflight([{operation: evil, decision}], options),
      renderAlarms([EVIL], options),
      renderCheck({...sound, problems: [{file: EVIL, line: 1, offset: 0, message: EVIL}]}, plain, 80),
    ]
    for (const text of texts) {
      expect(text).not.to.match(ACTIVE)
      expect(text).not.to.match(/^fake line/m)
    }
  })
})

describe('tasks that the journal does not know', () => {
  const repaired = 'the journal was repaired, 1 line was lost'

  it('are a warning with a way out', () => {
    expect(describeAlarms([])).to.equal(undefined)
    expect(describeAlarms([UPID])).to.match(/felhom journal rearm: Proxmox shows 1 task of this token/)
    expect(describeAlarms([UPID, repaired, UPID])).to.match(/1 line was lost; Proxmox shows 2 tasks/)
  })

  it('are shown by time, node, type and guest', () => {
    const text = renderAlarms([UPID, repaired], options)
    expectGolden('journal-rearm.txt', `${text}\n`)
    expectNarrow(text)
    expect(renderAlarms([], options)).to.equal('Nothing is disarmed.')
  })
})

const sound: CheckedJournal = {
  segments: ['00000001.log', '00000002.log'],
  records: 1234,
  bytes: 567_890,
  open: 1,
  head: '9a8b7c6d5e4f3a2b9a8b7c6d5e4f3a2b',
  problems: [],
}

describe('the check of the journal', () => {
  const broken: CheckedJournal = {
    ...sound,
    problems: [
      {
        file: '00000001.log',
        line: 17,
        offset: 4096,
        message: 'the record is not what was written: its hash is wrong',
      },
      {file: '00000002.log', line: 1, offset: 0, message: 'no header'},
    ],
  }

  it('says that there is none yet', () => {
    expect(renderCheck({...sound, segments: []}, plain, 80)).to.equal('There is no journal yet.')
  })

  it('tells what was read, and that all of it is as it was written', () => {
    expectGolden('journal-verify.txt', `${renderCheck(sound, plain, 80)}\n`)
  })

  it('says that an unfinished append is no damage', () => {
    const torn = {file: '00000002.log', offset: 99, bytes: 12}
    const text = renderCheck({...sound, torn}, plain, 80)
    expect(text).to.match(
      /as it was written\.\nThe last append is not complete \(00000002\.log, 12 bytes from 99\)/,
    )
    expectNarrow(text)
  })

  it('names file, line and byte of each damaged place', () => {
    const text = renderCheck(broken, plain, 80)
    expectGolden('journal-verify-damaged.txt', `${text}\n`)
    expectNarrow(text)
    expect(renderCheck(broken, makePalette(true), 80).replaceAll(COLOUR, '')).to.equal(text)
  })

  it('tells of a repair what was given up and where everything was kept', () => {
    const repair = {repaired: true, setAside: ['00000001.log.damaged-1'], salvaged: 3, lost: 1}
    const text = renderRepair(repair, plain, 80)
    expectGolden('journal-repair.txt', `${text}\n`)
    expectNarrow(text)
    expect(renderRepair({...repair, repaired: false}, plain, 80)).to.equal('There was nothing to repair.')
  })

  it('tells what a compaction removed', () => {
    expect(renderCompaction({removed: ['00000001.log'], kept: ['00000002.log', '00000003.log']})).to.equal(
      'removed 00000001.log\n\n1 removed, 2 segments kept.',
    )
    expect(renderCompaction({removed: [], kept: ['00000001.log']})).to.equal(
      'Nothing is old enough to be removed; 1 segment kept.',
    )
  })
})

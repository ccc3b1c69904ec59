import {expect} from 'chai'
import type {AuditEntry, AuditRecord} from '../../../src/lib/model/audit.ts'
import type {Statement} from '../../../src/lib/model/approval.ts'
import {renderAudit, renderCheckedAudit, showHead} from '../../../src/lib/report/gate-audit-text.ts'
import {renderCheckedPlan, renderPending, type GateItem} from '../../../src/lib/report/gate-check-text.ts'
import {renderExport, renderSaved} from '../../../src/lib/report/gate-saved-text.ts'
import {
  encodeStatementView,
  renderStatement,
  type StatementView,
} from '../../../src/lib/report/gate-statement-text.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {cellWidth} from '../../../src/lib/report/text-table.ts'

const options = {palette: makePalette(false), width: 80}
const FINGERPRINT = `SHA256:${'f'.repeat(43)}`
const AT = Date.UTC(2026, 10, 18, 9, 30)
/** Would redraw the screen, if it were obeyed. */
const HOSTILE = '\u001b[2Jwiki\u202e'
const ESCAPED = String.raw`\x1b[2Jwiki\u{202e}`

function expectLines(text: string, lines: readonly string[]): void {
  expect(text.split('\n')).to.deep.equal(lines)
  for (const line of lines) expect(cellWidth(line), line).to.be.at.most(80)
}

describe('the audit in words', () => {
  const record = (seq: number, entry: AuditEntry): AuditRecord => ({...entry, seq, at: AT, h: 'aa'})
  const decision = {type: 'decision', op: 'guest.destroy', class: 'destructive', vmid: 150} as const

  it('tells each decision with who had signed and why, and what people did', () => {
    const signers = ['alice', 'bob'].map((principal) => ({principal, fingerprint: FINGERPRINT}))
    const message = 'it can lose data and needs the signature of an operator'
    const records = [
      record(2, {...decision, signers: [], decision: 'refuse', refusal: 'pending_signature', message}),
      record(3, {...decision, signers, decision: 'allow', nonce: 'bjYwZAnfKILjNvgEEHqXDQ'}),
      record(4, {type: 'trust_changed', version: 2, hash: 'sha256:0', signers: ['alice', 'safe']}),
      record(5, {type: 'clock_reset', fromMs: AT + 86_400_000, toMs: AT, by: 'root'}),
      record(6, {type: 'journal_rearmed', tasks: ['UPID:1', 'UPID:2'], by: 'operator'}),
      record(7, {type: 'approval_rejected', nonce: 'n', statement: 's', reason: 'wrong', by: 'root'}),
    ]
    expectLines(renderAudit(records, 9, options), [
      'SEQ  TIME                  GUEST  WHAT           DECISION',
      '     WHO AND WHY',
      '2    2026-11-18T09:30:00Z  150    guest.destroy  pending_signature',
      '     it can lose data and needs the signature of an operator',
      '3    2026-11-18T09:30:00Z  150    guest.destroy  allow',
      `     alice (${FINGERPRINT}), bob`,
      `     (${FINGERPRINT}); nonce`,
      '     bjYwZAnfKILjNvgEEHqXDQ',
      '4    2026-11-18T09:30:00Z  -      trust store    changed',
      '     version 2 by alice, safe',
      '5    2026-11-18T09:30:00Z  -      clock mark     reset',
      '     root: 2026-11-19T09:30:00Z to 2026-11-18T09:30:00Z',
      '6    2026-11-18T09:30:00Z  -      journal        rearmed',
      '     operator: 2 alarms',
      '7    2026-11-18T09:30:00Z  -      approval       rejected',
      '     root: wrong; nonce n',
      '',
      '6 of 9 records, oldest first.',
    ])
  })

  it('is a table where there is room, and says so where there is nothing', () => {
    const records = [
      record(2, {type: 'decision', op: 'start', class: 'benign', signers: [], decision: 'allow'}),
    ]
    expectLines(renderAudit(records, 1, options), [
      'SEQ  TIME                  GUEST  WHAT   DECISION  WHO AND WHY',
      '2    2026-11-18T09:30:00Z  -      start  allow     benign',
      '',
      '1 record, oldest first.',
    ])
    expect(renderAudit([], 0, options)).to.equal('The audit is empty.')
  })

  it('obeys nothing that others wrote', () => {
    const rejected = {
      type: 'approval_rejected',
      nonce: 'n',
      statement: 's',
      reason: HOSTILE,
      by: 'root',
    } as const
    expect(renderAudit([record(2, rejected)], 1, options))
      .to.include(`root: ${ESCAPED}; nonce n`)
      .and.not.to.match(/[\u001b\u202e]/)
  })

  it('says whether it is whole, and whether a head of old is in it', () => {
    const whole = {segments: ['a'], records: 2, head: {seq: 3, h: '4be0'}, problems: []}
    expectLines(renderCheckedAudit(whole, options), [
      'Every record is as it was written: 2 records in 1 file.',
      'Head: 3:4be0',
    ])
    expectLines(renderCheckedAudit({...whole, holdsAnchor: true}, options), [
      'Every record is as it was written: 2 records in 1 file.',
      'The given head is in it.',
      'Head: 3:4be0',
    ])
    const problems = [{file: 'a', line: 2, message: `the hash is wrong ${HOSTILE}`}]
    expectLines(renderCheckedAudit({...whole, problems, holdsAnchor: false}, options), [
      `a, line 2: the hash is wrong ${ESCAPED}`,
      'The audit is damaged.',
      'The given head is not in it: its end was cut off, or it was replaced.',
      'Head: 3:4be0',
    ])
    expect(showHead(undefined)).to.equal('none')
  })
})

describe('what the gate would say, in words', () => {
  const item = (more: Partial<GateItem> = {}): GateItem => ({
    guest: 'lxc/150',
    node: 'pve2',
    name: 'wiki',
    action: 'destroy',
    class: 'destructive',
    id: '33aa3f55ae395a01',
    op: 'guest.destroy',
    role: 'operational',
    people: {signed: 1, needed: 2},
    state: 'pending',
    refusal: {code: 'pending_signature', message: '1 of 2 people have signed'},
    ...more,
  })
  const benign = item({
    ...{guest: 'lxc/101', name: null, action: 'start', class: 'benign', state: 'allowed'},
    ...{id: null, op: null, role: null, people: null, refusal: null},
  })

  it('shows each action with its state, and each refusal once', () => {
    const items = [
      benign,
      item(),
      item({guest: 'lxc/151', name: 'two'}),
      item({state: 'signed', refusal: null}),
    ]
    expectLines(renderCheckedPlan(items, options), [
      'GUEST    NAME  ACTION   CLASS        STATE                    ID',
      'lxc/101  -     start    benign       allowed                  -',
      'lxc/150  wiki  destroy  destructive  pending (1 of 2 signed)  33aa3f55ae395a01',
      'lxc/151  two   destroy  destructive  pending (1 of 2 signed)  33aa3f55ae395a01',
      'lxc/150  wiki  destroy  destructive  signed                   33aa3f55ae395a01',
      '',
      'lxc/150, lxc/151: pending_signature: 1 of 2 people have signed.',
      '',
      '2 of 4 actions would not be carried out: felhom gate pending',
    ])
  })

  it('says that nothing is held back, or that there is nothing', () => {
    expect(renderCheckedPlan([benign], options)).to.match(
      /\n\n1 action, and nothing holds any of them back\.$/,
    )
    expect(renderCheckedPlan([], options)).to.equal('The plan holds no actions.')
    expect(renderPending([], options)).to.equal('Nothing waits for a signature.')
  })

  it('lists what waits, and what to do about it', () => {
    expectLines(renderPending([item()], options), [
      'ID                GUEST    NAME  OPERATION      SIGNED  WHY NOT',
      '33aa3f55ae395a01  lxc/150  wiki  guest.destroy  1 of 2  pending_signature',
      '',
      'lxc/150: pending_signature: 1 of 2 people have signed.',
      '',
      'Look at one:        felhom gate show ID',
      'Sign it here:       felhom gate sign ID --key FILE',
      'Sign it elsewhere:  felhom gate export ID --out FILE',
    ])
  })

  it('offers no signature where none can be made, and obeys no name', () => {
    const message = 'it can lose data, and no signature can allow it: the config of the guest is not known'
    const refusal = {code: 'pending_signature', message}
    const unsignable = item({
      ...{id: null, op: null, people: null, state: 'unsignable', name: HOSTILE, refusal},
    })
    expectLines(renderPending([unsignable], options), [
      `ID  GUEST    NAME${' '.repeat(ESCAPED.length - 2)}OPERATION  SIGNED  WHY NOT`,
      `-   lxc/150  ${ESCAPED}  destroy    -       pending_signature`,
      '',
      'lxc/150: pending_signature: it can lose data, and no signature can allow it: the',
      'config of the guest is not known.',
    ])
  })
})

describe('a statement in words', () => {
  const digest = (digit: string): string => `sha256:${digit.repeat(64)}`
  const statement: Statement = {
    host: 'a4052480f819452ec7c9aa6c6bf1fb66',
    op: 'guest.destroy',
    target: {kind: 'lxc', node: 'pve2', vmid: 150, identity: digest('1')},
    params: {purge: true, note: 'x'},
    action: digest('2'),
    observed: digest('3'),
    nonce: 'bjYwZAnfKILjNvgEEHqXDQ',
    iatMs: AT,
    expMs: AT + 3_600_000,
    trust: 1,
    reason: 'moved to the new host, where it has been looked at by everybody who uses it',
  }
  const view = (more: Partial<StatementView> = {}): StatementView => ({
    ...{statement, digest: digest('4'), signatures: []},
    ...more,
  })

  it('says all that is signed, in lines that fit', () => {
    const signatures = [
      {fingerprint: FINGERPRINT, holds: true, problem: null},
      {fingerprint: null, holds: false, problem: 'the signature is over other bytes'},
    ]
    expectLines(renderStatement(view({signatures}), options), [
      '  operation     guest.destroy',
      '  guest         lxc/150 on pve2',
      '  parameters    purge: true, note: x',
      '  reason        moved to the new host, where it has been looked at by everybody',
      '                who uses it',
      '  issued        2026-11-18T09:30:00Z',
      '  expires       2026-11-18T10:30:00Z',
      '  installation  a4052480f819452ec7c9aa6c6bf1fb66',
      '  trust         version 1',
      '  nonce         bjYwZAnfKILjNvgEEHqXDQ',
      '  identity',
      `    ${digest('1')}`,
      '  action',
      `    ${digest('2')}`,
      '  observed',
      `    ${digest('3')}`,
      '  statement',
      `    ${digest('4')}`,
      '',
      `  signed by  ${FINGERPRINT}  it holds`,
      '  signature  the signature is over other bytes',
    ])
  })

  it('says what is not there, and obeys nothing that is', () => {
    const bare = {...statement, params: {}, reason: '', nbfMs: AT + 60_000}
    const text = renderStatement(view({statement: bare}), options)
    expect(text).to.match(/ {2}parameters {4}-\n {2}reason {8}-\n/)
    expect(text).to.match(/ {2}not before {4}2026-11-18T09:31:00Z\n/)
    expect(text).to.match(/\n\n {2}Nobody has signed it\.$/)
    const hostile = renderStatement(view({statement: {...statement, reason: HOSTILE}}), options)
    expect(hostile)
      .to.include(ESCAPED)
      .and.not.to.match(/[\u001b\u202e]/)
  })

  it('is JSON with the names and times of what is signed', () => {
    const {iatMs, expMs, ...rest} = statement
    expect([iatMs, expMs]).to.deep.equal([AT, AT + 3_600_000])
    expect(encodeStatementView(view())).to.deep.equal({
      file: null,
      digest: digest('4'),
      statement: {...rest, iat: '2026-11-18T09:30:00Z', exp: '2026-11-18T10:30:00Z'},
      signatures: [],
    })
  })
})

describe('what became of a signature, in words', () => {
  const saved = {
    file: '/a/33aa.json',
    signers: [{principal: 'alice', fingerprint: FINGERPRINT}],
    next: 'felhom apply',
  }

  it('says where it lies, and who else must sign or how it is carried out', () => {
    const head = ['Written to /a/33aa.json', `  signed by  alice  ${FINGERPRINT}`, '']
    expectLines(renderSaved({...saved, wanting: {people: 1, needed: 2}}, options.palette), [
      ...head,
      '1 of 2 people have signed. The next signs with:',
      '  felhom gate sign /a/33aa.json --key FILE',
    ])
    expectLines(renderSaved({...saved, wanting: undefined}, options.palette), [
      ...head,
      'It is complete. Carry it out with:',
      '  felhom apply',
    ])
  })

  it('says how to sign elsewhere, and obeys no name', () => {
    expectLines(renderExport('s.json', 'felhom-op-v1@felhom'), [
      'Written to s.json. On a machine with your key, sign that file as it is:',
      '',
      '  ssh-keygen -Y sign -f KEY -n felhom-op-v1@felhom s.json',
      '',
      'Bring the signature back, and:',
      '',
      '  felhom gate submit --statement s.json --sig s.json.sig',
    ])
    const named = renderSaved({...saved, file: HOSTILE, wanting: undefined}, options.palette)
    for (const text of [named, renderExport(HOSTILE, 'n')])
      expect(text)
        .to.include(ESCAPED)
        .and.not.to.match(/[\u001b\u202e]/)
  })
})

// How the source of desired state stands, for people and for programs.
import type {SourceKind, SourceStanding} from '../model/daemon.ts'
import {renderFacts, type Fact} from './fact-lines.ts'
import {showAge, showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {wrapText} from './text-table.ts'

export interface ShownSource {
  readonly kind: SourceKind
  readonly place: string
  readonly standing?: SourceStanding
  readonly good?: {
    readonly revision: string
    readonly serial?: number
    readonly goodAtMs: number
    readonly vmids: readonly number[]
  }
  readonly carried?: {readonly files: number; readonly approvals: number; readonly jobs: number}
  readonly accepted?: string
  readonly problems: readonly string[]
}

export interface SourceTextOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
}

const NONE = 'No desired state is named. Write desired: guests/ into felhom.yaml.'
const STATES: Record<SourceStanding['state'], string> = {
  fresh: 'fresh: it answered, and what it says is used',
  away: 'away: the last good state is used',
  refused: 'refused: the last good state is used',
}

export function renderSource(source: ShownSource, options: SourceTextOptions): string {
  if (source.kind === 'none') return NONE
  const {palette, width} = options
  const lines = renderFacts(factsOf(source, options), {palette, width})
  const revision = source.standing?.refusedRevision
  if (revision === undefined || revision === source.accepted) return lines.join('\n')
  const advice = wrapText('If that is what you want, let exactly this pass, once:', width)
  return [...lines, '', advice, `  felhom source accept ${shorten(revision)}`].join('\n')
}

function factsOf(source: ShownSource, {palette, nowMs}: SourceTextOptions): Fact[] {
  const {kind, place, standing, good, carried, accepted, problems} = source
  const {state, problem, refusedRevision} = standing ?? {}
  const fact = (label: string, text: string | undefined, paint?: Fact['paint']): Fact[] =>
    text === undefined ? [] : [{label, text, ...(paint && {paint})}]
  const used = standing?.revision === undefined ? undefined : good
  return [
    ...fact('Source', `${place} (${kind})`),
    ...fact(
      'State',
      state === undefined
        ? 'never asked: the daemon has not made a pass with it yet'
        : describeState(state, used),
      state === 'fresh' ? palette.good : palette.warn,
    ),
    ...fact('Problem', problem, palette.bad),
    ...fact('Refused', refusedRevision),
    ...fact('Accepted', accepted && `${accepted}, for the next pass`),
    ...fact('Revision', used?.revision),
    ...fact('Serial', used?.serial === undefined ? undefined : String(used.serial)),
    ...fact('Vouched for', used && `${showTime(used.goodAtMs)} (${showAge(used.goodAtMs, nowMs)})`),
    ...fact('Guests', used && String(used.vmids.length)),
    ...fact(
      'Carries',
      carried &&
        `${plural(carried.files, 'file')}, ${plural(carried.approvals, 'approval')}, ${plural(carried.jobs, 'job')}`,
    ),
    ...problems.flatMap((text) => fact('Damaged', text, palette.bad)),
  ]
}

/** Where there is no last good state, nothing is used. */
const describeState = (state: SourceStanding['state'], used: ShownSource['good']): string =>
  used ? STATES[state] : `${state}: nothing good was ever seen, and nothing is done`

/** As much of it as a person compares and copies in one line. */
const shorten = (revision: string): string => revision.replace(/^sha256:/, '').slice(0, 16)

export interface SourceJson {
  readonly kind: SourceKind
  readonly place: string
  readonly state: SourceStanding['state'] | null
  readonly problem: string | null
  readonly revision: string | null
  readonly serial: number | null
  readonly vouched_for: string | null
  readonly guests: number | null
  readonly files: number | null
  readonly approvals: number | null
  readonly jobs: number | null
  readonly refused_revision: string | null
  readonly accepted_revision: string | null
  readonly damage: readonly string[]
}

export function encodeSource({
  kind,
  place,
  standing,
  good,
  carried,
  accepted,
  problems,
}: ShownSource): SourceJson {
  const used = standing?.revision === undefined ? undefined : good
  return {
    kind,
    place,
    state: standing?.state ?? null,
    problem: standing?.problem ?? null,
    revision: used?.revision ?? null,
    serial: used?.serial ?? null,
    vouched_for: used ? showTime(used.goodAtMs) : null,
    guests: used?.vmids.length ?? null,
    files: carried?.files ?? null,
    approvals: carried?.approvals ?? null,
    jobs: carried?.jobs ?? null,
    refused_revision: standing?.refusedRevision ?? null,
    accepted_revision: accepted ?? null,
    damage: problems,
  }
}

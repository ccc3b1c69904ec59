// What recover decided, operation by operation, and what is left to do.
import type {Operation} from '../model/operation.ts'
import {renderBlock, type BlockOptions} from './journal-block.ts'
import {encodeOperation, type OperationJson} from './journal-json.ts'
import {showExactTime, showTime} from './journal-times.ts'
import {plural} from './plural.ts'
import {
  describeIntention,
  describeOutcome,
  encodeDecision,
  isSettled,
  showLookAgain,
  type DecidedOperation,
  type DecisionJson,
  type RecoveryDecision,
} from './recover-words.ts'
import type {Paint} from './text-table.ts'

export interface RecoveryReport {
  readonly decisions: readonly DecidedOperation[]
  readonly open: readonly Operation[]
  readonly lookAgainMs?: number
  readonly disarmed: readonly string[]
}

export interface RecoverTextOptions extends BlockOptions {
  readonly dryRun: boolean
}

export function renderRecovery(report: RecoveryReport, options: RecoverTextOptions): string {
  const {palette, dryRun} = options
  const paints: Record<RecoveryDecision['verdict'], Paint> = {
    succeeded: palette.good,
    satisfied: palette.good,
    failed: palette.bad,
    quarantine: palette.bad,
    superseded: palette.dim,
    wait: palette.warn,
    stay: palette.warn,
  }
  const blocks = report.decisions.map(({operation, decision}) => {
    const text = dryRun
      ? `would ${describeIntention(decision, operation)}`
      : describeOutcome(decision, operation)
    const pairs = [['task', operation.upid] as const, ['because', decision.reason] as const]
    return renderBlock(operation, {text, paint: paints[decision.verdict]}, pairs, options)
  })
  return [...blocks, summarize(report, options).join('\n')].join('\n\n')
}

function summarize(report: RecoveryReport, {dryRun, nowMs}: RecoverTextOptions): string[] {
  const {decisions, open, lookAgainMs} = report
  if (decisions.length === 0 && open.length === 0) return ['Nothing is open.']
  const settled = decisions.filter(({decision}) => isSettled(decision)).length
  const left = dryRun ? decisions.length - settled : open.length
  const would = dryRun ? ' would be' : ''
  const counts = `${plural(settled, 'operation')}${would} settled, ${left}${would === '' ? '' : ' would stay'} open.`
  if (left === 0) return [counts]
  const again =
    lookAgainMs === undefined
      ? []
      : [`Look again ${showLookAgain(lookAgainMs, nowMs)} (${showTime(lookAgainMs)}): felhom recover`]
  const needsWord = decisions.some(({decision}) => decision.verdict === 'quarantine')
  const resolve = ['Decide about a quarantined one with: felhom journal resolve OP --as …']
  return [counts, ...again, ...(needsWord ? resolve : [])]
}

export interface RecoveryJson {
  dryRun: boolean
  decisions: (OperationJson & {decision: DecisionJson})[]
  /** What is still open. */
  open: string[]
  lookAgain: string | null
  disarmed: readonly string[]
}

export function encodeRecovery(report: RecoveryReport, dryRun: boolean): RecoveryJson {
  const {decisions, open, lookAgainMs, disarmed} = report
  return {
    dryRun,
    decisions: decisions.map(({operation, decision}) => ({
      ...encodeOperation(operation),
      decision: encodeDecision(decision),
    })),
    open: open.map(({intent}) => intent.op),
    lookAgain: lookAgainMs === undefined ? null : showExactTime(lookAgainMs),
    disarmed,
  }
}

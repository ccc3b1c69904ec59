// What is open, for somebody who wants to know whether to worry.
import type {Operation} from '../model/operation.ts'
import {renderBlock, type BlockOptions} from './journal-block.ts'
import {encodeOperation, type OperationJson} from './journal-json.ts'
import {describeEnding, paintState} from './journal-words.ts'
import {plural} from './plural.ts'
import {
  describeIntention,
  encodeDecision,
  showLookAgain,
  type DecisionJson,
  type RecoveryDecision,
} from './recover-words.ts'

export interface OpenOperation {
  readonly operation: Operation
  /** Absent: Proxmox was not asked. */
  readonly decision?: RecoveryDecision
}

export function renderInflight(open: readonly OpenOperation[], options: BlockOptions): string {
  if (open.length === 0) return 'Nothing is in flight.'
  const blocks = open.map((one) => renderOpenOperation(one, options))
  return [...blocks, summarize(open).join('\n')].join('\n\n')
}

export function renderOpenOperation({operation, decision}: OpenOperation, options: BlockOptions): string {
  const {state, upid} = operation
  return renderBlock(
    operation,
    {text: state, paint: paintState(state, options.palette)},
    [
      ['task', upid],
      ['because', describeEnding(operation)],
      ['recover', decision && describePlan(decision, operation, options.nowMs)],
    ],
    options,
  )
}

function describePlan(decision: RecoveryDecision, operation: Operation, nowMs: number): string {
  const later = 'lookAgainMs' in decision ? `; look again ${showLookAgain(decision.lookAgainMs, nowMs)}` : ''
  const reason = decision.reason === '' ? '' : `: ${decision.reason}`
  return `would ${describeIntention(decision, operation)}${reason}${later}`
}

function summarize(open: readonly OpenOperation[]): string[] {
  const quarantined = open.filter(({operation}) => operation.state === 'quarantined').length
  const counted =
    open.length === 1
      ? '1 operation is open; its guest is frozen.'
      : `${plural(open.length, 'operation')} are open; their guests are frozen.`
  return [
    counted,
    ...(quarantined < open.length ? ['Settle what can be settled with: felhom recover'] : []),
    ...(quarantined > 0 ? ['Decide about a quarantined one with: felhom journal resolve OP --as …'] : []),
  ]
}

export interface InflightJson {
  operations: (OperationJson & {ageMs: number; recover: DecisionJson | null})[]
}

export function encodeInflight(open: readonly OpenOperation[], nowMs: number): InflightJson {
  const operations = open.map(({operation, decision}) => ({
    ...encodeOperation(operation),
    ageMs: nowMs - operation.intent.atMs,
    recover: decision ? encodeDecision(decision) : null,
  }))
  return {operations}
}

// What an undo is about, what it leaves alone and why, and what will happen next, beside its plan.
import {formatGuestId} from '../model/guest.ts'
import type {UndoAccount, UndoRemark} from '../model/undo.ts'
import {escapeText} from './escape-text.ts'
import {showAge} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {wrapText} from './text-table.ts'

export interface UndoTextOptions {
  readonly palette: Palette
  readonly width: number
  readonly nowMs: number
}

/** `plan` is the text of the plan; undefined: there is nothing in it. */
export function renderUndo(account: UndoAccount, plan: string | undefined, options: UndoTextOptions): string {
  const {palette, width, nowMs} = options
  const {run, atMs, remarks} = account
  if (run === undefined) {
    return wrapText(
      'Nothing to undo: the journal knows no run that changed something that can be brought back.',
      width,
    )
  }
  const age = atMs === undefined ? '' : `, ${showAge(atMs, nowMs)}`
  const sections = [
    `${palette.strong(`Undo of ${escapeText(run)}`)}${age}.`,
    plan ?? '',
    renderRemarks(remarks, options).join('\n'),
    plan === undefined ? 'Nothing to undo.' : '',
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

function renderRemarks(remarks: readonly UndoRemark[], {palette, width}: UndoTextOptions): string[] {
  if (remarks.length === 0) return []
  const groups = new Map<number, UndoRemark[]>()
  for (const remark of remarks)
    groups.set(remark.guest.vmid, [...(groups.get(remark.guest.vmid) ?? []), remark])
  const blocks = [...groups.values()].flatMap((own) => [
    `  ${escapeText(nameGuest(own[0]))}`,
    ...own.map(({message}) => {
      const text = wrapText(`! ${escapeText(message)}`, width - 6).replaceAll('\n', '\n      ')
      return palette.warn(`    ${text}`)
    }),
  ])
  return ['Left as it is:', ...blocks]
}

const nameGuest = (remark: UndoRemark | undefined): string =>
  remark === undefined
    ? ''
    : formatGuestId(remark.guest) + (remark.name === undefined ? '' : ` ${remark.name}`)

const MOST_NAMED = 5

/** Warnings, a sentence or two each. */
export function describeUndoWarnings({run, newer, conflicts}: UndoAccount): string[] {
  const skipped =
    newer === undefined || run === undefined
      ? []
      : [`The latest run, ${newer}, changed nothing that can be brought back. This is about ${run}.`]
  return [...skipped, ...describeConflicts(conflicts)]
}

function describeConflicts(conflicts: readonly string[] | undefined): string[] {
  if (conflicts === undefined)
    return [
      'If the desired state still asks for what is undone, the next apply does it again: change it too.',
    ]
  if (conflicts.length === 0) return []
  const named = conflicts.slice(0, MOST_NAMED).join(', ')
  const more = conflicts.length > MOST_NAMED ? ` and ${conflicts.length - MOST_NAMED} more` : ''
  return [
    `The desired state still asks for what is undone (${named}${more}): change it too, or the next apply does it again.`,
  ]
}

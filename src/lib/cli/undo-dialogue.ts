// An undo as somebody lives through it: an apply, with what it is about before the plan and what it leaves behind it.
import {showOptionValue} from '../app/plan/plan-cluster.ts'
import type {UndoListener} from '../app/undo/undo-changes.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {Plan} from '../model/plan.ts'
import type {UndoAccount} from '../model/undo.ts'
import {planLine} from '../report/apply-json.ts'
import {makePalette} from '../report/palette.ts'
import {renderPlan} from '../report/plan-text.ts'
import {undoLine} from '../report/undo-json.ts'
import {describeUndoWarnings, renderUndo} from '../report/undo-text.ts'
import {TerminalDialogue, type DialogueOptions} from './apply-dialogue.ts'
import {colourOn} from './colour.ts'
import {canAsk} from './prompt.ts'
import {terminalWidth} from './terminal-width.ts'

export class UndoDialogue extends TerminalDialogue implements UndoListener {
  readonly #options: DialogueOptions
  #account: UndoAccount = {
    run: undefined,
    atMs: undefined,
    newer: undefined,
    remarks: [],
    conflicts: [],
  }

  constructor(options: DialogueOptions) {
    super(options)
    this.#options = options
  }

  /** What the undo is about, as it was told last. */
  get account(): UndoAccount {
    return this.#account
  }

  about(account: UndoAccount): void {
    this.#account = account
  }

  override showPlan(plan: Plan): void {
    this.giveUp.throwIfAborted()
    const {asJson, print} = this.#options
    if (asJson) process.stdout.write(`${undoLine(this.#account)}\n${planLine(plan)}\n`)
    else {
      const options = {palette: makePalette(colourOn(process.stdout)), width: terminalWidth()}
      const isEmpty = plan.guests.every(({actions}) => actions.length === 0)
      const shown = {...options, showValue: showOptionValue, isPendingListed: false}
      const text = isEmpty ? undefined : renderPlan(plan, shown)
      print(renderUndo(this.#account, text, {...options, nowMs: Date.now()}))
    }
    for (const warning of describeUndoWarnings(this.#account)) this.warn(warning)
  }

  override approve(possible: number, total: number): Promise<void> {
    if (!this.#options.asJson && canAsk()) return super.approve(possible, total)
    const why = this.#options.asJson ? '--json asks no questions' : 'there is no terminal to ask on'
    throw new FelhomError('declined', `the undo was not approved: ${why}`, {
      hint: 'Look at it with --dry-run, then add --auto-approve.',
      doubt: 'Nothing was changed.',
    })
  }
}

// An apply as somebody at a terminal, or a program that reads its lines, lives through it.
import type {ApplyDialogue} from '../app/apply/apply-dialogue.ts'
import {showOptionValue} from '../app/plan/plan-cluster.ts'
import {FelhomError} from '../model/felhom-error.ts'
import type {Plan} from '../model/plan.ts'
import type {RunEvent} from '../model/run-event.ts'
import {eventLine, planLine, recoveryLine} from '../report/apply-json.ts'
import {renderWaysOn} from '../report/apply-text.ts'
import {escapeText} from '../report/escape-text.ts'
import {describeAlarms} from '../report/journal-rearm-text.ts'
import {makePalette} from '../report/palette.ts'
import {renderPlan} from '../report/plan-text.ts'
import {plural} from '../report/plural.ts'
import {renderRecovery, type RecoveryReport} from '../report/recover-text.ts'
import {wrapText} from '../report/text-table.ts'
import {colourOn} from './colour.ts'
import type {Interruption} from './interruption.ts'
import {startProgress, type Progress} from './progress.ts'
import {askForYes, canAsk} from './prompt.ts'
import {terminalWidth} from './terminal-width.ts'

export interface DialogueOptions {
  readonly asJson: boolean
  readonly interruption: Interruption
  readonly print: (text: string) => void
  readonly warn: (text: string) => void
  /** Of the plan: false for work that no file asks for. */
  readonly isPendingListed?: boolean
}

export class TerminalDialogue implements ApplyDialogue {
  readonly #options: DialogueOptions
  #progress: Progress | undefined

  constructor(options: DialogueOptions) {
    this.#options = options
  }

  get giveUp(): AbortSignal {
    return this.#options.interruption.giveUp
  }

  get stop(): AbortSignal {
    return this.#options.interruption.stop
  }

  warn(text: string): void {
    this.#options.warn(text)
  }

  waitingForLock(holder: string): void {
    this.#tell(`Waiting for another felhom that holds the state directory: ${escapeText(holder)}`)
  }

  recovering(operations: number): void {
    this.#tell(`Settling ${plural(operations, 'interrupted operation')} first.`)
  }

  recovered(report: RecoveryReport): void {
    const disarmed = describeAlarms(report.disarmed)
    if (disarmed !== undefined) this.warn(disarmed)
    if (this.#options.asJson) this.#line(recoveryLine(report))
    if (report.decisions.length === 0) return
    const palette = makePalette(colourOn(process.stderr))
    const nowMs = Date.now()
    this.#tell(`${renderRecovery(report, {palette, width: terminalWidth(), nowMs, dryRun: false})}\n`)
  }

  showPlan(plan: Plan): void {
    // A rule that was not waited for has refused nothing.
    this.giveUp.throwIfAborted()
    const {asJson, print, isPendingListed = true} = this.#options
    const options = {palette: makePalette(colourOn(process.stdout)), width: terminalWidth(), isPendingListed}
    if (asJson) this.#line(planLine(plan))
    else print(renderPlan(plan, {...options, showValue: showOptionValue}))
  }

  async approve(possible: number, total: number): Promise<void> {
    if (this.#options.asJson || !canAsk()) {
      const why = this.#options.asJson ? '--json asks no questions' : 'there is no terminal to ask on'
      throw new FelhomError('declined', `the plan was not approved: ${why}`, {
        hint: 'Look at the plan, then add --auto-approve; or save it with felhom plan --out FILE and apply that file.',
        doubt: 'Nothing was changed.',
      })
    }
    const palette = makePalette(colourOn(process.stderr))
    const what =
      possible === total
        ? plural(total, 'action')
        : `${possible} of ${plural(total, 'action')}, as said above`
    const question = palette.strong(`Carry out ${total === 1 ? 'this action' : what}?`)
    const isYes = await askForYes(`\n${question} Only 'yes' is taken as a yes: `, this.giveUp)
    if (isYes) return
    throw new FelhomError('declined', 'the answer was not yes', {doubt: 'Nothing was changed.'})
  }

  beginRun(): void {
    const {asJson, interruption} = this.#options
    const progress = startProgress(process.stderr, asJson)
    this.#progress = progress
    interruption.beginRun({
      stopping: (isAsked) => {
        const running = progress.running()
        const rest =
          running === 0
            ? ''
            : ` Waiting for ${plural(running, 'running task')}. Press Ctrl-C ${isAsked ? 'again' : 'twice'} to leave ${running === 1 ? 'it' : 'them'} running.`
        progress.say(wrapText(`Stopping: nothing new is started.${rest}`, terminalWidth()))
      },
      leaving: () => {
        const running = progress.running()
        progress.say(`Left ${plural(running, 'operation')} running.\n${renderWaysOn(running)}`)
        progress.close()
      },
    })
  }

  show(event: RunEvent): void {
    if (this.#options.asJson) this.#line(eventLine(event))
    // The plan may be long: what comes now stands apart from it.
    if (event.type === 'run_started' && process.stderr.isTTY) this.#progress?.say('')
    this.#progress?.show(event)
  }

  /** The last of what is drawn stays on the screen. */
  close(): void {
    this.#progress?.close()
  }

  #tell(text: string): void {
    if (!this.#options.asJson) process.stderr.write(`${text}\n`)
  }

  #line(text: string): void {
    process.stdout.write(`${text}\n`)
  }
}

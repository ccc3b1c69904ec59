// What apply does with the process: signals become the dialogue's, every line of --json stands alone, and the end
// of the run becomes report and exit code.
import type {ApplyOutcome} from '../app/apply/apply-changes.ts'
import {ERROR_CODES} from '../model/error-codes.ts'
import {encodeApply, resultLine, type ApplyResultJson} from '../report/apply-json.ts'
import {renderApply, type ApplyWords} from '../report/apply-text.ts'
import type {Envelope} from '../report/envelope.ts'
import {TerminalDialogue, type DialogueOptions} from './apply-dialogue.ts'
import {BaseCommand} from './base-command.ts'
import {exitCodeFor} from './describe-error.ts'
import {exitCodeOf} from './exit-codes.ts'
import {Interruption} from './interruption.ts'
import {reasonToEnd} from './ordered-end.ts'
import {terminalWidth} from './terminal-width.ts'

export abstract class ApplyCommand extends BaseCommand {
  readonly #interruption = new Interruption()
  #outcome: ApplyOutcome | undefined

  /** Aborted by a signal that comes before anything is sent. */
  protected override get giveUp(): AbortSignal {
    return this.#interruption.giveUp
  }

  protected converse(work: (dialogue: TerminalDialogue) => Promise<ApplyOutcome>): Promise<ApplyOutcome> {
    return this.converseIn((options) => new TerminalDialogue(options), work)
  }

  protected async converseIn<D extends TerminalDialogue, T>(
    open: (options: DialogueOptions) => D,
    work: (dialogue: D) => Promise<T>,
  ): Promise<T> {
    const dialogue = open({
      asJson: this.jsonEnabled(),
      interruption: this.#interruption,
      print: (text) => {
        this.print(text)
      },
      warn: (text) => {
        this.addWarning(text)
      },
    })
    try {
      return await work(dialogue)
    } finally {
      dialogue.close()
    }
  }

  /** Prints what became of each guest; throws what kept the run from going on. */
  protected report(outcome: ApplyOutcome, words?: ApplyWords): ApplyResultJson {
    const {run, results, verdict, failure, hadChanges} = outcome
    this.#outcome = outcome
    const options = {palette: this.palette(), width: terminalWidth(), ...(words && {words})}
    if (hadChanges) this.print(`\n${renderApply(results, options)}`)
    if (failure !== undefined) throw failure
    const exitCode = this.#exitCode(verdict)
    process.exitCode = exitCode
    return encodeApply(run, results, exitCode)
  }

  #exitCode(verdict: ApplyOutcome['verdict']): number {
    const why = reasonToEnd()
    if (why !== undefined) return exitCodeFor(why)
    if (verdict === undefined) return 0
    const code = exitCodeOf(verdict)
    return verdict === 'interrupted' ? (this.#interruption.exitCode ?? code) : code
  }

  /** What was not a plain success says so in the same place as an error would. */
  protected override toSuccessJson(result: unknown): Envelope {
    const envelope = super.toSuccessJson(result)
    const verdict = this.#outcome?.verdict
    if (verdict === undefined || !envelope.ok) return envelope
    return {...envelope, ok: false, error: {code: verdict, message: ERROR_CODES[verdict]}}
  }

  protected override frame(envelope: Envelope): string {
    return resultLine(envelope)
  }

  protected override async catch(error: Error): Promise<void> {
    await super.catch(error)
    const asked = this.#interruption.exitCode
    if (asked !== undefined && process.exitCode === exitCodeOf('interrupted')) process.exitCode = asked
  }

  protected override async finally(error: Error | undefined): Promise<void> {
    this.#interruption.dispose()
    await super.finally(error)
  }
}

import {Args} from '@oclif/core'
import {draftApproval} from '../../lib/app/gate/gate-draft.ts'
import {findDocuments, isId, readDocument, type ApprovalDocument} from '../../lib/app/gate/gate-documents.ts'
import {describeSignatures} from '../../lib/app/gate/gate-judge.ts'
import type {LoadedSettings} from '../../lib/app/use-settings.ts'
import {GateCommand, planFlags} from '../../lib/cli/gate-command.ts'
import {escapeText} from '../../lib/report/escape-text.ts'
import {encodeStatementView, renderStatement} from '../../lib/report/gate-statement-text.ts'

const HOUR_MS = 3_600_000

export default class GateShow extends GateCommand {
  static override summary = 'Show what an approval or a statement says, from its own bytes alone.'
  static override description =
    'Takes a file, or the ID of felhom gate pending: then every approval for it in the approvals directory, or, if there is none, the statement that would be signed now. What is shown is read from the bytes that are signed; whether the gate takes it is told by felhom gate check.'
  static override examples = [
    '<%= config.bin %> gate show 9f2c81d04b6a77e1',
    '<%= config.bin %> gate show approval.json --json',
  ]
  static override args = {
    approval: Args.string({required: true, description: 'A file, or an ID of felhom gate pending.'}),
  }
  static override flags = planFlags

  override async run(): Promise<unknown> {
    const {args, flags} = await this.parse(GateShow)
    const settings = await this.useSettings(flags.config)
    const documents = isId(args.approval)
      ? await this.#findById(settings, args.approval, flags.desired)
      : [readDocument(process.cwd(), args.approval)]
    const shown = documents.map((document) => ({...document, signatures: describeSignatures(document)}))
    const heading = ({file}: ApprovalDocument): string =>
      file === undefined ? 'Not signed yet; this would be signed now:' : escapeText(file)
    for (const [i, document] of documents.entries()) {
      const view = shown[i]
      if (!view) continue
      this.print(`${i > 0 ? '\n' : ''}${heading(document)}\n\n${renderStatement(view, this.textOptions())}`)
    }
    return {approvals: shown.map(encodeStatementView)}
  }

  async #findById(
    settings: LoadedSettings['settings'],
    id: string,
    desired: string[] | undefined,
  ): Promise<readonly ApprovalDocument[]> {
    const found = findDocuments(settings, id, (text) => {
      this.addWarning(text)
    })
    if (found.length > 0) return found
    return this.untilInterrupted(async (signal) => {
      const look = await this.lookRequest(settings, signal, {desired})
      const draft = await draftApproval({...look, id, lifetimeMs: 8 * HOUR_MS, reason: undefined})
      return [draft.document]
    })
  }
}

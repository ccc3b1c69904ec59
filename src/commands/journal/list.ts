import {Flags} from '@oclif/core'
import {listOperations} from '../../lib/app/journal/journal-list.ts'
import {openJournalView} from '../../lib/app/journal/journal-view.ts'
import {JournalCommand} from '../../lib/cli/journal-command.ts'
import {encodeOperation, type OperationJson} from '../../lib/report/journal-json.ts'
import {renderOperations} from '../../lib/report/journal-list-text.ts'

const STATES = [
  'open',
  'started',
  'task_running',
  'quarantined',
  'succeeded',
  'satisfied',
  'failed',
  'superseded',
  'abandoned',
] as const

export default class JournalList extends JournalCommand {
  static override summary = 'List what felhom did, newest first.'
  static override description =
    'Reads the journal alone and takes no lock. The name of an operation begins with the UTC time of its run.'
  static override examples = [
    '<%= config.bin %> journal list',
    '<%= config.bin %> journal list --target lxc/101 --since 7d',
    '<%= config.bin %> journal list --state failed --state quarantined --json',
  ]
  static override flags = {
    run: Flags.string({helpValue: 'RUN', summary: 'Only the operations of this run.'}),
    target: Flags.string({
      char: 't',
      aliases: ['guest'],
      helpValue: 'GUEST',
      summary: 'Only those of this guest, as lxc/101 or 101.',
    }),
    state: Flags.option({
      options: STATES,
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'STATE',
      summary: 'Only those in this state; open is every state without an end. May be repeated.',
    })(),
    since: Flags.string({
      helpValue: 'TIME',
      summary: 'Only those started since then: a duration such as 24h, or a time in UTC.',
    }),
    limit: Flags.integer({default: 50, min: 1, max: 100_000, helpValue: 'N', summary: 'How many to show.'}),
  }

  override async run(): Promise<{operations: OperationJson[]; total: number}> {
    const {flags} = await this.parse(JournalList)
    const settings = await this.useSettings(flags.config)
    const nowMs = Date.now()
    const {run, target, since, state: states, limit} = flags
    const list = await listOperations(
      await openJournalView(settings),
      {
        limit,
        ...(run !== undefined && {run}),
        ...(target !== undefined && {target}),
        ...(since !== undefined && {since}),
        ...(states !== undefined && {states}),
      },
      nowMs,
    )
    const width = process.stdout.columns || Infinity
    this.print(renderOperations(list, {palette: this.palette(), width, nowMs}))
    return {operations: list.operations.map(encodeOperation), total: list.total}
  }
}

import {Flags} from '@oclif/core'
import {readClockMark, resetClockMark} from '../../../lib/app/gate/gate-upkeep.ts'
import {confirm} from '../../../lib/cli/confirm.ts'
import {lockTimeoutFlag} from '../../../lib/cli/duration-flag.ts'
import {GateCommand} from '../../../lib/cli/gate-command.ts'
import {showTime} from '../../../lib/report/journal-times.ts'

export default class GateClockReset extends GateCommand {
  static override summary = 'Believe the clock again after a wrong one was mended.'
  static override description =
    'The gate refuses approvals while the clock is behind the latest time that it has seen, because an expired one could be used again. If that time was wrong, mend the clock first; then this sets the mark to now. It is written to the audit.'
  static override examples = ['<%= config.bin %> gate clock reset']
  static override flags = {
    'auto-approve': Flags.boolean({summary: 'Do not ask.'}),
    'lock-timeout': lockTimeoutFlag,
  }

  override async run(): Promise<{from: string | null; to: string | null}> {
    const {flags} = await this.parse(GateClockReset)
    const settings = await this.useSettings(flags.config)
    const markMs = await readClockMark({settings})
    const nowMs = Date.now()
    if (markMs <= nowMs) {
      this.print(
        `The clock is not behind its mark (${markMs === 0 ? 'none yet' : showTime(markMs)}): nothing to do.`,
      )
      return {from: null, to: null}
    }
    this.print(`Latest time seen:  ${showTime(markMs)}\nThe clock now:     ${showTime(nowMs)}`)
    await this.untilInterrupted(async (signal) => {
      const question = 'Is the clock right now, and was the later time wrong?'
      await confirm({question, autoApprove: flags['auto-approve'], signal})
      await resetClockMark(this.upkeep(settings, flags['lock-timeout'], signal), markMs, nowMs)
    })
    this.print('\nThe mark is set to the time that the clock shows.')
    return {from: showTime(markMs), to: showTime(nowMs)}
  }
}

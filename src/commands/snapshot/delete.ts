import {SnapshotCommand, snapshotArgs, snapshotFlags} from '../../lib/cli/snapshot-command.ts'
import type {ApplyResultJson} from '../../lib/report/apply-json.ts'

export default class SnapshotDelete extends SnapshotCommand {
  static override summary = 'Delete a snapshot.'
  static override description =
    'The way back to that moment is lost, so it needs an approval that an operator has signed for exactly this snapshot of exactly this guest as it is now. Without one nothing is sent, and the exit code is 3.'
  static override examples = [
    '<%= config.bin %> snapshot delete lxc/101 before-upgrade',
    '<%= config.bin %> snapshot delete 101 before-upgrade --approval approval.json',
  ]
  static override args = snapshotArgs
  static override flags = snapshotFlags

  override async run(): Promise<ApplyResultJson> {
    const {args, flags} = await this.parse(SnapshotDelete)
    return this.carryOut({op: 'snapshot.delete', guest: args.guest, snapshot: args.name}, flags)
  }
}

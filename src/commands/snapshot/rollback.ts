import {SnapshotCommand, snapshotArgs, snapshotFlags} from '../../lib/cli/snapshot-command.ts'
import type {ApplyResultJson} from '../../lib/report/apply-json.ts'

export default class SnapshotRollback extends SnapshotCommand {
  static override summary = 'Bring a guest back to a snapshot.'
  static override description =
    'Everything that changed since then is lost, and a guest that runs is stopped; it is not started again. So it needs an approval that an operator has signed for exactly this snapshot of exactly this guest as it is now. Without one nothing is sent, and the exit code is 3.'
  static override examples = [
    '<%= config.bin %> snapshot rollback lxc/101 before-upgrade',
    '<%= config.bin %> snapshot rollback 101 before-upgrade --approval approval.json',
  ]
  static override args = snapshotArgs
  static override flags = snapshotFlags

  override async run(): Promise<ApplyResultJson> {
    const {args, flags} = await this.parse(SnapshotRollback)
    return this.carryOut({op: 'snapshot.rollback', guest: args.guest, snapshot: args.name}, flags)
  }
}

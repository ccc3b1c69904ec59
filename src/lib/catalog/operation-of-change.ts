// Which signature a change that can lose data takes. What has none can be allowed by nobody: felhom leaves it to
// whoever works with Proxmox itself.
import type {SignedOperation} from '../model/approval.ts'
import type {Option} from './option.ts'

export function operationOfChange(
  {family, isDisk}: Option,
  verb: 'written' | 'removed',
): SignedOperation | undefined {
  if (family === 'protection') return 'guest.unprotect'
  if (family === 'template') return verb === 'written' ? 'guest.template' : undefined
  if (verb === 'written') return undefined
  if (family === 'unused[n]') return 'volume.remove'
  return isDisk ? 'volume.detach' : undefined
}

// The hypervisor that the sandbox plays: its version and the machine type a start ends up with.
import type {Section} from '../../state.ts'

export const RUNNING_QEMU = '10.1.2'
const MACHINE_VERSION = '10.1'
/** What a machine of the default CPU type is started with; kept with a saved state. */
export const RUNNING_CPU = 'kvm64,enforce,+kvm_pv_eoi,+kvm_pv_unhalt,+lahf_lm,+sep'

/** An unversioned type runs as the newest; a pinned one as it is. */
export function runningMachine(config: Section): string {
  const text = config['machine'] ?? 'pc'
  const type = /(?:^|,)type=([^,]+)/.exec(text)?.[1] ?? text.split(',')[0] ?? 'pc'
  if (type === 'q35') return `pc-q35-${MACHINE_VERSION}`
  return type === 'pc' || type === '' || type.includes('=') ? `pc-i440fx-${MACHINE_VERSION}` : type
}

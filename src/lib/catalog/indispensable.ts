import type {Option} from './option.ts'

/** Proxmox refuses to remove these, or removes them and then cannot start the guest (`arch`). */
const INDISPENSABLE: ReadonlySet<string> = new Set(['arch', 'memory', 'ostype', 'rootfs'])

/** What a container cannot be without. */
export const isIndispensable = ({kind, name}: Option): boolean => kind === 'lxc' && INDISPENSABLE.has(name)

// `--target`: a plan for some guests only. Everything else is left out of the plan, not declared unmanaged.
import type {DesiredState} from '../model/desired.ts'

/** `lxc/101` or `101`; undefined when it is neither. */
export function parseTarget(text: string): {kind?: 'lxc' | 'qemu'; vmid: number} | undefined {
  const match = /^(?:(lxc|qemu)\/)?([1-9]\d{2,8})$/.exec(text)
  if (!match) return undefined
  const kind = match[1] as 'lxc' | 'qemu' | undefined
  return {vmid: Number(match[2]), ...(kind && {kind})}
}

export interface Selection {
  state: DesiredState
  /** Targets that name no guest of the desired state. */
  missing: string[]
}

export function selectTargets(state: DesiredState, targets: readonly string[]): Selection {
  if (targets.length === 0) return {state, missing: []}
  const wanted = targets.map((text) => ({text, target: parseTarget(text)}))
  const names = (
    {vmid, kind}: {vmid: number; kind: string},
    target: ReturnType<typeof parseTarget>,
  ): boolean => target?.vmid === vmid && (target.kind === undefined || target.kind === kind)
  const guests = state.guests.filter((guest) => wanted.some(({target}) => names(guest, target)))
  const missing = wanted
    .filter(({target}) => !state.guests.some((guest) => names(guest, target)))
    .map(({text}) => text)
  return {state: {...state, guests}, missing}
}

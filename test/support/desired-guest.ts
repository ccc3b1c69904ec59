// Desired state made up for a test, as the files room would read it.
import type {DesiredGuest, DesiredOption, DesiredState, DesiredValue} from '../../src/lib/model/desired.ts'

const place = {file: 'guests.yaml', line: 1, column: 1}

/** A string is Proxmox's own text, null removes, an object manages its parts. */
export type Written = string | null | Record<string, string | null>

export function desiredOptions(written: Record<string, Written>): Map<string, DesiredOption> {
  return new Map(
    Object.entries(written).map(([name, value]) => [name, {name, value: desiredValue(value), place}]),
  )
}

function desiredValue(value: Written): DesiredValue {
  if (value === null) return {is: 'removed'}
  return typeof value === 'string'
    ? {is: 'text', text: value}
    : {is: 'parts', parts: new Map(Object.entries(value))}
}

export const desiredGuest = (
  vmid: number,
  options: Record<string, Written> = {},
  change: Partial<DesiredGuest> = {},
): DesiredGuest => ({
  kind: 'lxc',
  vmid,
  ensure: 'present',
  options: desiredOptions(options),
  restart: 'never',
  stop: {timeoutMs: 60_000, force: false},
  place,
  ...change,
})

export const desiredState = (...guests: DesiredGuest[]): DesiredState => ({guests, files: ['guests.yaml']})

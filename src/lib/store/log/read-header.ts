// A header is the one line that is read before anything is known; so all of it is checked.
import {BadRecord, FORMAT, NewerRecord, type LogHeader} from './log-kind.ts'
import type {Line} from './scan-segment.ts'

export function readHeader({value}: Pick<Line, 'value'>, log: string, segment: number): LogHeader {
  if (value['type'] !== 'header') throw new BadRecord('it is no header')
  if (value['format'] !== FORMAT)
    throw new NewerRecord(`format ${String(value['format'])} is not known, only ${FORMAT}`)
  if (value['log'] !== log) throw new BadRecord(`it begins a log ${String(value['log'])}, not a ${log}`)
  if (value['segment'] !== segment)
    throw new BadRecord(`it begins segment ${String(value['segment'])}, not ${segment}`)
  const {lineage, prev, at, identity, aside} = value
  if (typeof lineage !== 'string' || typeof prev !== 'string' || typeof at !== 'number')
    throw new BadRecord('the header lacks its lineage, previous hash or time')
  return {
    format: FORMAT,
    log,
    lineage,
    segment,
    prev,
    at,
    identity: identity as Record<string, string>,
    aside: aside as number[],
  }
}

/** Which of its first lines a segment was created with: these are there whole, or the segment is not. */
export const headLines = ({segment}: LogHeader): number => (segment > 1 ? 2 : 1)

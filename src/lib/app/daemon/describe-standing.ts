// How things stand after a pass, in one line for `systemctl status`.
import type {PassReport} from '../../model/daemon.ts'
import {findDrift} from './guest-matters.ts'

export function describeStanding(report: PassReport): string {
  const {pass, problem, plan, open} = report
  if (problem) return `pass ${pass}: ${problem.message}`
  if (!plan) return `pass ${pass}: nothing is desired`
  // What the pass itself has put right does not differ any more.
  const drifted = findDrift(report).length
  const parts = [
    ...(drifted === 0 ? [] : [`${drifted} with drift`]),
    ...(open.length === 0 ? [] : [`${open.length} open`]),
  ]
  return `pass ${pass}: ${parts.length === 0 ? 'all as desired' : parts.join(', ')}`
}

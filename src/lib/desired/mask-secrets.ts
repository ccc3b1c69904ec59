// A desired file holds no passwords, but a mistaken one may. The line that a diagnostic shows is masked, sign
// for sign, so that carets stay where they belong; rather too much of a line is masked than too little.
import type {Diagnostic} from '../model/diagnostic.ts'

const PASSWORD = /(?<=password["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?![{\s|>]|null\b)[^}]+)/gi

export function maskSecrets(diagnostic: Diagnostic): Diagnostic {
  const {sourceLine} = diagnostic
  if (sourceLine === undefined || !/password/i.test(sourceLine)) return diagnostic
  return {...diagnostic, sourceLine: sourceLine.replace(PASSWORD, (secret) => '*'.repeat(secret.length))}
}

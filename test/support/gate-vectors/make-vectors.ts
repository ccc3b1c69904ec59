// Every vector file by its name. All of it follows from seeds: it is the same in every run.
import {makeDecisionVectors} from './decision-vectors.ts'
import {makeKeyVectors} from './key-vectors.ts'
import {makeSshsigVectors} from './sshsig-vectors.ts'
import {makeDigestVectors, makeStatementVectors} from './statement-vectors.ts'
import {makeTrustVectors} from './trust-vectors.ts'

/** Each as the text of its file. */
export function makeVectors(): Record<string, string> {
  const values = {
    'keys.json': makeKeyVectors(),
    'sshsig.json': makeSshsigVectors(),
    'statements.json': makeStatementVectors(),
    'digests.json': makeDigestVectors(),
    'trust.json': makeTrustVectors(),
    'decisions.json': makeDecisionVectors(),
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, `${showValue(value)}\n`]))
}

/** Half a surrogate pair and what does not show is written as an escape: every tool reads the same file. */
function showValue(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(
    /[^\n -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

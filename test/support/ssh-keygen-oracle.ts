// `ssh-keygen -Y verify` as a second opinion, for many signatures at once. A shell does the forking: it is lighter
// than this process.
import {execFile} from 'node:child_process'
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {promisify} from 'node:util'
import {OPERATION_NAMESPACE} from '../../src/lib/gate/namespaces.ts'
import {keyDirectory} from './gate-keys.ts'

export interface SignedCase {
  /** Written as Latin-1, so that any byte can be had. */
  readonly armoured: string
  readonly message: Buffer
}

const SHELLS = 3
const SCRIPT = `
while [ $# -gt 0 ]; do
  if ssh-keygen -Y verify -f allowed -I signer -n '${OPERATION_NAMESPACE}' -s "$1.sig" < "$1.msg" >/dev/null 2>&1
  then echo "$1 good"; else echo "$1 refused"; fi
  shift
done`

/** Of each case, whether ssh-keygen holds it to be good by one of these keys. */
export async function askSshKeygen(
  cases: readonly SignedCase[],
  keyLines: readonly string[],
): Promise<boolean[]> {
  const scratch = mkdtempSync(join(keyDirectory(), 'oracle-'))
  try {
    writeFileSync(join(scratch, 'allowed'), keyLines.map((line) => `signer ${line}\n`).join(''))
    for (const [n, {armoured, message}] of cases.entries()) {
      writeFileSync(join(scratch, `${n}.sig`), armoured, 'latin1')
      writeFileSync(join(scratch, `${n}.msg`), message)
    }
    const names = cases.map((_, n) => String(n))
    const shares = Array.from({length: SHELLS}, (_, k) => names.filter((_, n) => n % SHELLS === k))
    const outputs = await Promise.all(shares.map((share) => runShell(scratch, share)))
    const verdicts = new Map(outputs.flatMap((output) => output.map((line) => splitVerdict(line))))
    return names.map((name) => {
      const verdict = verdicts.get(name)
      if (verdict === undefined) throw new Error(`ssh-keygen was not asked about ${name}`)
      return verdict === 'good'
    })
  } finally {
    rmSync(scratch, {recursive: true})
  }
}

async function runShell(cwd: string, names: readonly string[]): Promise<string[]> {
  const {stdout} = await promisify(execFile)('sh', ['-c', SCRIPT, 'sh', ...names], {cwd, maxBuffer: 2 ** 26})
  return stdout.trim().split('\n')
}

const splitVerdict = (line: string): [string, string] => {
  const [name = '', verdict = ''] = line.split(' ')
  return [name, verdict]
}

// Makes the transcript in docs/crash.md: a real apply on the sandbox with fifty tasks running is killed, and felhom
// comes back. What is printed is what was printed; only long lists are cut, and the cuts say so.
//   npx tsx scripts/crash-transcript.ts
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {manyGuestsSeed, manyGuestsWish} from '../test/faults/many-guests.ts'
import {countRecords, startFelhom, untilSo, type EndedRun} from '../test/faults/started-process.ts'
import {startSandboxProcess} from '../test/support/sandbox-process.ts'

const PAGE = fileURLToPath(new URL('../docs/crash.md', import.meta.url))
const [BEGIN, END] = ['<!-- transcript: scripts/crash-transcript.ts -->\n', '<!-- end of transcript -->\n']
const [GUESTS, RUNNING] = [60, 50]

/** A list keeps its first entries; `entry` tells where each begins. */
interface Cut {
  readonly entry: RegExp
  readonly keep: number
}

const PLANNED = {entry: /^ {2}# lxc/, keep: 1}
const PROGRESS = {entry: /^lxc/, keep: 3}
const DONE = {entry: /^done/, keep: 2}
const OPERATIONS = {entry: /^\S+\.\d+ /, keep: 2}

const transcript: string[] = []

function note(command: string, output: string, code: number | string): void {
  transcript.push(`$ ${command}`, output.trimEnd(), `[exit code ${code}]`, '')
}

function cutList(text: string, {entry, keep}: Cut): string {
  const kept: string[] = []
  let [entries, skipped, endsBlank] = [0, 0, false]
  const close = (): void => {
    if (skipped > 0) kept.push(`  [… ${skipped} more of these …]`, ...(endsBlank ? [''] : []))
    entries = skipped = 0
  }
  for (const line of text.split('\n')) {
    if (entry.test(line)) entries++
    else if (/^\S/.test(line)) close()
    if (entries <= keep) kept.push(line)
    else if (entry.test(line)) skipped++
    endsBlank = line === ''
  }
  close()
  return kept.join('\n')
}

const cutLists = (text: string, cuts: readonly Cut[]): string => cuts.reduce(cutList, text)

const dir = mkdtempSync(join(tmpdir(), 'felhom-crash-'))
const seed = join(dir, 'seed.json')
writeFileSync(seed, JSON.stringify(manyGuestsSeed({guests: GUESTS, nodes: 4, startDelaySeconds: 30})))
const sandbox = await startSandboxProcess('--seed', seed)
/** Both streams as one, in their order, as a terminal shows them. */
const behind = ['sh', '-c', 'exec "$@" 2>&1', 'sh']
const place = {cwd: dir, env: sandbox.env, behind}
writeFileSync(join(dir, 'guests.yaml'), manyGuestsWish(GUESTS))
writeFileSync(join(dir, 'felhom.yaml'), 'felhom: 1\ndesired: guests.yaml\n')

async function felhom(args: string[], ...cuts: Cut[]): Promise<EndedRun> {
  const run = await startFelhom(args, place).ended
  note(`felhom ${args.join(' ')}`, cutLists(run.stdout, cuts), run.code ?? '')
  return run
}

try {
  const args = ['apply', '--auto-approve', '--parallelism', '13']
  const run = startFelhom(args, place)
  await untilSo('fifty tasks run', run, () => countRecords(dir, 'task_running') >= RUNNING)
  run.child.kill('SIGKILL')
  const {stdout} = await run.ended
  const output = cutLists(stdout, [PLANNED, PROGRESS])
  note(`felhom ${args.join(' ')}`, output, `137: killed with kill -9 ${run.child.pid}`)
  await felhom(['journal', 'inflight'], OPERATIONS)
  await felhom(['recover'], OPERATIONS)
  await felhom(['apply', '--auto-approve'], PLANNED, PROGRESS, DONE)
  await felhom(['plan'])
  await felhom(['journal', 'verify'])
} finally {
  await sandbox.stop()
  rmSync(dir, {recursive: true, force: true})
}

const page = readFileSync(PAGE, 'utf8')
const [from, to] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)]
if (from < BEGIN.length || to < from) throw new Error(`${PAGE} has no place for the transcript`)
const block = `\n\`\`\`text\n${transcript.join('\n').trimEnd()}\n\`\`\`\n\n`
writeFileSync(PAGE, page.slice(0, from) + block + page.slice(to))

// npm run bench [-- --only sandbox-core|start-up|state-read|plan|journal|apply|gate|daemon] [--rounds N]: prints each figure with its goal and exits
// non-zero where one is missed by more than a tenth.
import {rmSync} from 'node:fs'
import {parseArgs} from 'node:util'
import {isMissed, renderOutcomes, type Outcome} from './harness.ts'
import {scratch} from './processes.ts'
import {benchApply} from './apply.ts'
import {benchDaemon} from './daemon.ts'
import {benchJournal} from './journal.ts'
import {benchPlan} from './plan.ts'
import {benchSandboxCore} from './sandbox-core.ts'
import {benchSshsig} from './sshsig.ts'
import {benchStartUp} from './start-up.ts'
import {benchStateRead} from './state-read.ts'

const {values} = parseArgs({
  options: {only: {type: 'string', default: ''}, rounds: {type: 'string', default: '7'}},
})
const rounds = Number(values.rounds)
const benches: Record<string, () => Promise<Outcome[]>> = {
  'sandbox-core': () => benchSandboxCore(rounds),
  'start-up': () => benchStartUp(rounds * 3),
  'state-read': () => benchStateRead(rounds, 1000),
  plan: () => benchPlan(rounds),
  journal: () => benchJournal(rounds),
  apply: () => benchApply(rounds),
  gate: () => benchSshsig(rounds),
  daemon: () => benchDaemon(rounds),
}

const outcomes: Outcome[] = []
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (values.only === '' || values.only === name) outcomes.push(...(await bench()))
  }
} finally {
  rmSync(scratch, {recursive: true, force: true})
}
console.log(renderOutcomes(outcomes))
const missed = outcomes.filter((o) => 'value' in o && isMissed(o)).length
if (missed > 0) {
  console.error(`${String(missed)} of ${String(outcomes.length)} goals missed`)
  process.exitCode = 1
}

// `npm run kill-storm [-- --every N]`: the real program against the sandbox, killed with SIGKILL at each fdatasync
// and fsync of each operation alone, and of all of them together at every N-th write, most of which go to the
// network. After each kill recover, apply and plan must find everything done once.
import {parseArgs} from 'node:util'
import {OPERATIONS} from '../test/faults/all-operations.ts'
import {killAtEach, type Storm} from '../test/faults/kill-at-each.ts'
import {startLabs, stopLabs} from '../test/faults/take-turns.ts'

const {values} = parseArgs({options: {every: {type: 'string', default: '4'}}})
const labs = await startLabs(3)
let total = 0

async function strike(title: string, storm: Storm): Promise<void> {
  const kills = await killAtEach(labs, storm)
  total += kills
  console.log(`${title}: killed ${kills} times at ${storm.call}`)
}

try {
  for (const one of OPERATIONS) {
    await strike(one.title, {call: 'fdatasync', cases: [one]})
    await strike(one.title, {call: 'fsync', cases: [one]})
  }
  await strike('all operations', {call: 'write', step: Number(values.every)})
  console.log(`${total} kills: nothing lost, nothing done twice`)
} finally {
  await stopLabs(labs)
}

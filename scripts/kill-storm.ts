// `npm run kill-storm [-- --every N]`: the real program against the sandbox, killed with SIGKILL at each fdatasync
// and fsync of each operation alone, and of all of them together at every N-th write, most of which go to the
// network. After each kill recover, apply and plan must find everything done once.
//
// `npm run kill-storm -- --daemon 100 [--seed 1]`: daemons instead, each killed at some moment while somebody else
// keeps changing the guests; in the end the journal and Proxmox must tell the same story.
import {parseArgs} from 'node:util'
import {OPERATIONS} from '../test/faults/all-operations.ts'
import {DaemonLab} from '../test/faults/daemon-lab.ts'
import {killDaemons} from '../test/faults/daemon-storm.ts'
import type {FaultLab} from '../test/faults/fault-lab.ts'
import {killAtEach, type Storm} from '../test/faults/kill-at-each.ts'
import {startLabs, stopLabs} from '../test/faults/take-turns.ts'

const {values} = parseArgs({
  options: {
    every: {type: 'string', default: '4'},
    daemon: {type: 'string'},
    seed: {type: 'string', default: '1'},
  },
})
let total = 0
if (values.daemon === undefined) await strikeApplies()
else await strikeDaemons(Number(values.daemon), Number(values.seed))

async function strikeDaemons(kills: number, seed: number): Promise<void> {
  const lab = await DaemonLab.start()
  try {
    const {interrupted, operations} = await killDaemons(lab, kills, seed)
    console.log(`${kills} kills, ${interrupted} of which interrupted something, and ${operations} operations`)
    console.log('nothing lost, nothing done twice')
  } finally {
    await lab.stop()
  }
}

async function strike(labs: readonly FaultLab[], title: string, storm: Storm): Promise<void> {
  const kills = await killAtEach(labs, storm)
  total += kills
  console.log(`${title}: killed ${kills} times at ${storm.call}`)
}

async function strikeApplies(): Promise<void> {
  const labs = await startLabs(3)
  try {
    for (const one of OPERATIONS) {
      await strike(labs, one.title, {call: 'fdatasync', cases: [one]})
      await strike(labs, one.title, {call: 'fsync', cases: [one]})
    }
    await strike(labs, 'all operations', {call: 'write', step: Number(values.every)})
    console.log(`${total} kills: nothing lost, nothing done twice`)
  } finally {
    await stopLabs(labs)
  }
}

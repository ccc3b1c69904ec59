// Takes the lock of a state directory as another felhom would, again and again: DIR ROUNDS HOLD_MS. What it does
// goes to standard output and, while the lock is held, to the file `rounds` beside it; with 0 rounds it keeps it.
import {appendFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {acquireLock} from '../../src/lib/store/acquire-lock.ts'

const [dir = '', rounds = '1', holdMs = '0'] = process.argv.slice(2)
const note = (text: string): void => appendFileSync(join(dirname(dir), 'rounds'), `${text} ${process.pid}\n`)

for (let round = 0; round === 0 || round < Number(rounds); round++) {
  const lock = await acquireLock(dir, {timeoutMs: 60_000, holder: 'felhom test'})
  note('in')
  process.stdout.write('held\n')
  if (rounds === '0') await sleep(600_000)
  await sleep(Number(holdMs))
  note('out')
  await lock.release()
}

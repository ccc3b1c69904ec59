import {expect} from 'chai'
import {findUnknownTasks} from '../../../src/lib/engine/unknown-tasks.ts'
import {formatUpid, parseUpid} from '../../../src/lib/model/upid.ts'
import {MemoryJournal} from '../../../src/lib/testing/memory-journal.ts'

const TOKEN = 'root@pam!felhom'
const SINCE_SECONDS = 1_800_000_000

/** A journal that begins in the middle of a second, and one task of our token. */
async function find(starttime: number): Promise<readonly string[]> {
  const upid = parseUpid(
    formatUpid({node: 'pve1', pid: 1, pstart: 1, starttime, type: 'vzdestroy', id: '101', user: TOKEN}),
  )
  const status = {state: 'stopped', exit: 'OK', verdict: 'ok'} as const
  return findUnknownTasks({
    reader: {
      listNodes: () => Promise.resolve(['pve1']),
      listTasks: () => Promise.resolve([{upid, status, endtime: starttime}]),
      taskStatus: () => Promise.resolve(status),
      taskLog: () => Promise.resolve({lines: [], total: 0}),
    },
    journal: new MemoryJournal(() => SINCE_SECONDS * 1000 + 500),
    tokenId: TOKEN,
  })
}

describe('a task of our token that the journal does not know', () => {
  it('does not count if it began before the journal', async () => {
    expect(await find(SINCE_SECONDS - 1)).to.have.length(0)
  })

  it('counts if it began in the first second of the journal, of which it tells no more', async () => {
    expect(await find(SINCE_SECONDS)).to.have.length(1)
  })

  it('counts if it began later', async () => {
    expect(await find(SINCE_SECONDS + 1)).to.have.length(1)
  })
})

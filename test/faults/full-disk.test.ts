// The real program on a disk that takes nothing more, and on one that fails: no request leaves that is not in the
// journal, the exit code says so, and with room on the disk it goes on where it was.
import {spawnSync} from 'node:child_process'
import {mkdirSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {OPERATIONS, wishFor} from './all-operations.ts'
import {APPLY, FaultLab} from './fault-lab.ts'
import {readRecordTypes, startFelhom, type EndedRun} from './started-process.ts'
import {failFrom, runStruck} from './strace.ts'
import {startLabs, stopLabs, takeTurns, upwards} from './take-turns.ts'
import {canMount, mountSmallDisk, type SmallDisk} from './tmpfs.ts'

/** One without a task and one with. */
const FEW = OPERATIONS.filter(({vmid}) => [101, 107].includes(vmid))
const ONE_BY_ONE = [...APPLY, '--parallelism', '1']
const PAGE = 4096

const started = (project: string): number =>
  readRecordTypes(project).filter((type) => type === 'started').length

/** From the n-th call on every one fails, for every n, until none is left to fail. How many failed. */
async function failAtEach(labs: readonly FaultLab[], call: string, error: string): Promise<number> {
  let failures = 0
  await takeTurns(upwards(), labs, async (lab: FaultLab, n) => {
    const what = `${error} from ${call} number ${n} on`
    await lab.renew(FEW)
    const run = await runStruck(ONE_BY_ONE, failFrom(call, error, n), {cwd: lab.lab.dir, env: lab.env})
    if (run.code === 0) {
      await lab.expectDone(what)
      return false
    }
    failures++
    expectSaid(run, error, what)
    // A record whose sync failed is taken back; its request has not left either.
    expect(await lab.mutations(), what).to.equal(started(lab.lab.dir))
    const again = await lab.felhom(APPLY)
    expect(again.code, `${what}: ${again.stderr}`).to.equal(0)
    await lab.expectDone(what)
    return true
  })
  return failures
}

function expectSaid({code, stderr, stdout}: EndedRun, error: string, what: string): void {
  expect(code, `${what}: ${stderr}${stdout}`).to.equal(7)
  const said = stderr.replaceAll(/\s+/g, ' ')
  expect(said, what).to.contain(error).and.contain('Check the free space (df)')
}

describe('felhom apply on a disk that fails', function () {
  this.timeout(600_000)
  let labs: FaultLab[]
  before(async () => {
    labs = await startLabs(3)
  })
  after(() => stopLabs(labs))

  it('is full from any write on: what is not in the journal is not sent', async () => {
    // The header, and at least the begin and the end of each operation.
    expect(await failAtEach(labs, 'pwrite64', 'ENOSPC')).to.be.at.least(1 + FEW.length * 2)
  })

  it('cannot sync from any time on: what is not in the journal is not sent', async () => {
    expect(await failAtEach(labs, 'fdatasync', 'EIO')).to.be.at.least(1 + FEW.length * 2)
  })
})

describe('felhom apply on a small disk that fills up', function () {
  this.timeout(300_000)
  let lab: FaultLab
  let disk: SmallDisk | undefined
  let state: string
  before(async () => {
    lab = await FaultLab.start()
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await lab.renew()
    state = join(lab.lab.dir, '.felhom')
    mkdirSync(state, {mode: 0o700})
  })
  afterEach(async () => {
    await disk?.close()
    disk = undefined
  })

  /** A shell that sees the small disk. */
  const sh = (small: SmallDisk, script: string): string => {
    const args = [...small.enter.slice(1), 'sh', '-c', script, state]
    const {status, stdout, stderr} = spawnSync('nsenter', args, {encoding: 'utf8'})
    expect(status, stderr).to.equal(0)
    return stdout
  }
  const apply = (small: SmallDisk): Promise<EndedRun> => {
    const behind = [...small.enter, 'sh', '-c', 'cd "$0" && exec "$@"', lab.lab.dir]
    return startFelhom(ONE_BY_ONE, {cwd: lab.lab.dir, env: lab.env, behind}).ended
  }

  /** A disk with what one operation leaves on it, and not a page more. */
  const fill = async (small: SmallDisk): Promise<void> => {
    lab.lab.write('guests.yaml', wishFor(OPERATIONS.slice(0, 1)))
    expect((await apply(small)).code).to.equal(0)
    lab.lab.write('guests.yaml', wishFor(OPERATIONS))
    sh(small, 'cat /dev/zero > "$0/ballast" 2>/dev/null || true')
  }
  const applyStruck = (): Promise<EndedRun> =>
    runStruck(ONE_BY_ONE, failFrom('pwrite64', 'ENOSPC', 8), {cwd: lab.lab.dir, env: lab.env})

  it('stops with 7 in mid-run, and finishes when there is room again', async () => {
    // Where nobody may mount, writes fail as they would on a full disk.
    disk = canMount() ? await mountSmallDisk(state, 64 * PAGE) : undefined
    if (disk) await fill(disk)
    const full = disk ? await apply(disk) : await applyStruck()
    expectSaid(full, 'ENOSPC', 'a full disk')
    const begun = disk
      ? Number(sh(disk, `cat "$0"/journal/*.log | grep -c '"started"'`))
      : started(lab.lab.dir)
    expect(begun).to.be.within(1, OPERATIONS.length - 1)
    expect(await lab.mutations()).to.equal(begun)
    if (disk) sh(disk, 'rm "$0/ballast"')
    const again = await (disk ? apply(disk) : lab.felhom(APPLY))
    expect(again.code, again.stderr).to.equal(0)
    const effects = Object.fromEntries(OPERATIONS.map(({effect}) => [effect, 1]))
    expect(await lab.effects()).to.deep.equal(effects)
  })
})

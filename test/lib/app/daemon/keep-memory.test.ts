import {mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {keepMemory, memoryFile, type KeptMemory} from '../../../../src/lib/app/daemon/keep-memory.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {stranger} from '../../../support/gate-bench.ts'
import {PassBench} from '../../../support/pass-bench.ts'

const KEPT: KeptMemory = {
  backOffs: [{guest: {kind: 'lxc', vmid: 101}, failures: 2, untilMs: 200_000, pauseMs: 120_000, work: 'a1'}],
  jobBackOffs: [{nonce: 'n1', failures: 1, untilMs: 300_000, pauseMs: 60_000}],
  refusals: ['b2'],
  jobRefusals: [['n1', 'c3']],
}

describe('what passes remember', () => {
  let path: string
  const warnings: string[] = []
  const keeper = () => keepMemory(path, (text) => void warnings.push(text))
  beforeEach(() => {
    path = memoryFile(mkdtempSync(join(tmpdir(), 'felhom-memory-')))
    warnings.length = 0
  })
  afterEach(() => {
    rmSync(join(path, '..'), {recursive: true})
  })

  it('comes back as it was kept, in a file for nobody else, which is written when it changes', () => {
    expect(keeper().load()).to.equal(undefined)
    keeper().save(KEPT)
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    utimesSync(path, 1, 1)
    const next = keeper()
    expect(next.load()).to.deep.equal(KEPT)
    next.save(KEPT)
    expect(statSync(path).mtimeMs).to.equal(1000)
    next.save({...KEPT, refusals: []})
    expect(statSync(path).mtimeMs).not.to.equal(1000)
    expect(warnings).to.deep.equal([])
  })

  it('is nothing, with a warning, where any part of the file is not ours', () => {
    keeper().save(KEPT)
    const good = readFileSync(path, 'utf8')
    const bad = [
      ...['', 'x', '[]', '{"version":1}', good.slice(0, -10)],
      good.replace('"version":1', '"version":2'),
      good.replace('"lxc"', '"else"'),
      good.replace('200000', '"soon"'),
      ...['9e15', '1e999', '-1'].map((never) => good.replace('200000', never)),
      good.replace('["b2"]', '[1]'),
      good.replace('300000', 'null'),
      good.replace('["n1","c3"]', '["n1"]'),
    ]
    for (const text of bad) {
      writeFileSync(path, text)
      expect(keeper().load(), text).to.equal(undefined)
    }
    expect(warnings).to.have.length(bad.length)
  })

  it('lets cron try what fails less and less often, and ask the gate once', async () => {
    const bench = await PassBench.make({mode: 'full', intervalMs: 60_000})
    bench.desired = [desiredGuest(101, {memory: '777'}), desiredGuest(150, {}, {ensure: 'absent'})]
    bench.jobs = [await bench.sign(150, {type: 'destroy', volumes: []}, stranger)]
    bench.bench.fault = ({method, path: at}) =>
      method === 'PUT' && at.includes('/101/') ? {kind: 'status', when: 'before', status: 403} : undefined
    const [tries, audited]: [number[], number[]] = [[], []]
    for (let minute = 0; minute < 8; minute++) {
      bench.restart()
      await bench.pass()
      if (bench.sent().length > 0) tries.push(minute)
      audited.push(await bench.look(({audit}) => audit.head().seq))
      await bench.clock.run(bench.clock.sleep(60_000))
    }
    expect(tries).to.deep.equal([0, 1, 3, 7])
    // What is tried again is decided again, and nothing else.
    const grown = audited.map((seq, i) => seq - (audited[i - 1] ?? 0)).slice(1)
    expect(grown).to.deep.equal([1, 0, 1, 0, 0, 0, 1])
    expect(JSON.stringify(bench.kept)).not.to.contain('777')
  })
})

// The real program while it suspends a guest: killed when it makes that durable, and several at once. What was
// suspended before stays so, and what was told to be suspended is.
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {readSuspensions} from '../../src/lib/store/suspensions.ts'
import {startFelhom} from './started-process.ts'
import {killAt, runStruck} from './strace.ts'

describe('felhom suspend', function () {
  this.timeout(120_000)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-suspend-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const place = () => ({cwd: dir, env: {}})
  const held = () => readSuspensions(join(dir, '.felhom'), Date.now()).map(({vmid}) => vmid)

  for (const call of ['fsync', 'rename'])
    it(`killed at each ${call} has suspended the guest or not, and forgets no other`, async () => {
      await startFelhom(['suspend', '101'], place()).ended
      const kept: (number | 'all')[] = [101]
      let [n, isKilled] = [0, true]
      while (isKilled) {
        const vmid = 201 + n++
        const {signal, code, stderr} = await runStruck(['suspend', String(vmid)], killAt(call, n), place())
        isKilled = signal !== null
        if (held().includes(vmid)) kept.push(vmid)
        else expect(isKilled, `${call} ${n}: ${code} ${stderr}`).to.equal(true)
        expect(held(), `killed at ${call} number ${n}`).to.deep.equal(kept)
      }
      expect(n).to.be.at.least(2)
    })

  it('started eight times at once suspends all eight', async () => {
    const vmids = Array.from({length: 8}, (_, i) => 101 + i)
    const runs = vmids.map((vmid) => startFelhom(['suspend', String(vmid), '--lock-timeout', '60s'], place()))
    for (const {ended} of runs) {
      const {code, stderr} = await ended
      expect(code, stderr).to.equal(0)
    }
    expect(held()).to.deep.equal(vmids)
  })
})

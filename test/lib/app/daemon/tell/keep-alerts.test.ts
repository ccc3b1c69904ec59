import {mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {NOTHING_TOLD} from '../../../../../src/lib/app/daemon/tell/find-alerts.ts'
import {
  alertsFile,
  loadAlerts,
  saveAlerts,
  type KeptAlerts,
} from '../../../../../src/lib/app/daemon/tell/keep-alerts.ts'

const guest = {kind: 'qemu', vmid: 101} as const
const KEPT: KeptAlerts = {
  memory: {
    open: {
      'drift_found:qemu/101:x': {kind: 'drift_found', guest, text: 'it differs', over: 'no more', sinceMs: 5},
      disarmed: {kind: 'disarmed', text: 'tasks', over: 'armed', sinceMs: 6},
    },
    jobs: ['n1', 'n2'],
    neverGoodSinceMs: 7,
    neverGoodSetBackToMs: 3,
  },
  pending: [
    {id: 'i1', atMs: 1, alert: {kind: 'disarmed', key: 'disarmed', state: 'began', text: 'tasks'}},
    {id: 'i2', atMs: 2, alert: {kind: 'drift_found', key: 'x', state: 'over', guest, text: 'no more'}},
  ],
}

describe('what was told already', () => {
  let path: string
  let warnings: string[]
  beforeEach(() => {
    path = alertsFile(mkdtempSync(join(tmpdir(), 'felhom-alerts-')))
    warnings = []
  })
  afterEach(() => {
    rmSync(join(path, '..'), {recursive: true})
  })
  const load = (): KeptAlerts => loadAlerts(path, (text) => void warnings.push(text))

  it('comes back as it was kept, in a file for nobody else', () => {
    saveAlerts(path, KEPT, (text) => text)
    expect(load()).to.deep.equal(KEPT)
    expect(statSync(path).mode & 0o777).to.equal(0o600)
    expect(warnings).to.deep.equal([])
  })

  it('is nothing, without a word, where there is no file', () => {
    expect(load()).to.deep.equal({memory: NOTHING_TOLD, pending: []})
    expect(warnings).to.deep.equal([])
  })

  it('is nothing, with a warning, where any part of the file is not ours', () => {
    saveAlerts(path, KEPT, (text) => text)
    const good = readFileSync(path, 'utf8')
    const bad = [
      ...['', 'x', '[]', '{"version":1}', good.slice(0, -10)],
      good.replace('"version":1', '"version":2'),
      good.replace('"disarmed":{"kind":"disarmed"', '"disarmed":{"kind":"else"'),
      good.replace('"jobs":["n1"', '"jobs":[1'),
      good.replace('"atMs":1', '"atMs":"1"'),
      good.replace('"state":"over"', '"state":"odd"'),
      good.replace('"kind":"qemu"', '"kind":"vm"'),
      good.replace('"pending":[', '"pending":[null,'),
    ]
    for (const text of bad) {
      expect(text).not.to.equal(good)
      warnings = []
      writeFileSync(path, text)
      expect(load(), text).to.deep.equal({memory: NOTHING_TOLD, pending: []})
      expect(warnings, text).to.have.length(1)
    }
  })
})

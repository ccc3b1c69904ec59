// The plan of the example homelab, as it is printed: what a person reads before saying yes must not change
// without somebody looking at it.
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {planCluster, showOptionValue} from '../../../src/lib/app/plan/plan-cluster.ts'
import {useDesired} from '../../../src/lib/app/source/use-desired.ts'
import {FilesProvider} from '../../../src/lib/desired/files-provider.ts'
import type {Plan} from '../../../src/lib/model/plan.ts'
import {createReader} from '../../../src/lib/pve/read.ts'
import {decodePlan} from '../../../src/lib/report/decode-plan.ts'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {encodePlan} from '../../../src/lib/report/plan-json.ts'
import {renderPlanMarkdown} from '../../../src/lib/report/plan-markdown.ts'
import {renderPlan} from '../../../src/lib/report/plan-text.ts'
import {cellWidth} from '../../../src/lib/report/text-table.ts'
import {expectGolden} from '../../support/golden.ts'
import {homelabSeed} from '../../support/homelab-seed.ts'
import {TestSandbox} from '../../support/test-sandbox.ts'

const HOUSE = fileURLToPath(new URL('../../..', import.meta.url))

describe('the plan of the example homelab', () => {
  let plan: Plan
  before(async () => {
    const sandbox = await TestSandbox.start(homelabSeed)
    try {
      const provider = new FilesProvider(['test/fixtures/homelab/guests.yaml'], {cwd: HOUSE})
      const reader = createReader(sandbox.connect())
      const result = await planCluster({
        loadDesired: () => useDesired(provider),
        readActual: () => reader.readCluster(),
        targets: [],
      })
      plan = result.plan
    } finally {
      await sandbox.close()
    }
  })

  const text = (colour = false): string =>
    renderPlan(plan, {palette: makePalette(colour), width: 80, showValue: showOptionValue})

  it('reads as it did on a terminal of 80 columns', () => {
    expectGolden('homelab-plan.txt', `${text()}\n`)
    for (const line of text().split('\n')) expect(cellWidth(line), line).to.be.at.most(80)
  })

  it('is the same text in colour, but for the colour', () => {
    const colour = /\u001b\[\d+m/g
    expect(text(true)).to.match(colour)
    expect(text(true).replaceAll(colour, '')).to.equal(text())
  })

  it('is the same JSON, and reads back as the same plan', () => {
    const json = `${JSON.stringify(encodePlan(plan), null, 1)}\n`
    expectGolden('homelab-plan.json', json)
    expect(decodePlan(JSON.parse(json))).to.deep.equal({plan})
  })

  it('is the same Markdown', () => {
    expectGolden('homelab-plan.md', `${renderPlanMarkdown(plan, showOptionValue)}\n`)
  })
})

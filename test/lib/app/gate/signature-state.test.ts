import {expect} from 'chai'
import {showOptionValue} from '../../../../src/lib/app/plan/plan-cluster.ts'
import {showSignatures, type Inspector} from '../../../../src/lib/app/gate/signature-state.ts'
import type {Inspection, SignatureNeed} from '../../../../src/lib/gate/gate.ts'
import type {Refusal} from '../../../../src/lib/model/approval.ts'
import type {Plan} from '../../../../src/lib/model/plan.ts'
import {decodePlan} from '../../../../src/lib/report/decode-plan.ts'
import {makePalette} from '../../../../src/lib/report/palette.ts'
import {encodePlan} from '../../../../src/lib/report/plan-json.ts'
import {renderPlanMarkdown} from '../../../../src/lib/report/plan-markdown.ts'
import {renderPlan} from '../../../../src/lib/report/plan-text.ts'
import {desiredGuest} from '../../../support/desired-guest.ts'
import {EngineBench} from '../../../support/engine-bench.ts'
import {homelabSeed} from '../../../support/homelab-seed.ts'

const PENDING: Refusal = {code: 'pending_signature', message: 'it can lose data'}
const NEED = {bound: {op: 'guest.destroy'}} as SignatureNeed

const inspectorOf = (found: Partial<Inspection>, needed?: number): Inspector => ({
  inspect: () => Promise.resolve({class: 'destructive', ...found}),
  readTrust: () =>
    Promise.resolve(
      needed === undefined ? undefined : {thresholdFor: (op) => (op === 'guest.destroy' ? needed : 9)},
    ),
})

async function destroy(vmid: number, inspector: Inspector): Promise<Plan> {
  const bench = new EngineBench({seed: homelabSeed})
  const plan = await bench.plan(desiredGuest(vmid, {}, {ensure: 'absent'}))
  return showSignatures(plan, await bench.read(), inspector)
}

const messages = ({guests}: Plan): string[][] =>
  guests.flatMap(({actions}) => actions.map(({blockers}) => blockers.map(({message}) => message)))

describe('a plan with what the gate would say', () => {
  it('says of each destructive action, and of what serves it, what is still missing', async () => {
    const shown = await destroy(102, inspectorOf({refusal: PENDING}))
    expect(messages(shown)).to.deep.equal([[PENDING.message], [PENDING.message]])
  })

  it('asks rules about each action once: they may take their time', async () => {
    const bench = new EngineBench({seed: homelabSeed})
    const plan = await bench.plan(desiredGuest(101, {memory: '1024'}, {run: 'stopped'}))
    const asked: string[] = []
    const shown = await showSignatures(plan, await bench.read(), {
      ...inspectorOf({}),
      hasRules: true,
      inspect: ({action}) => {
        asked.push(action.type)
        return Promise.resolve({class: 'destructive', refusal: PENDING})
      },
    })
    expect(asked).to.deep.equal(['set-config', 'shutdown'])
    expect(messages(shown)).to.deep.equal([[PENDING.message], [PENDING.message]])
    expect(shown.guests[0]?.actions.map((action) => action.class)).to.deep.equal([
      'destructive',
      'destructive',
    ])
  })

  it('holds back nothing that is signed for', async () => {
    expect(messages(await destroy(102, inspectorOf({})))).to.deep.equal([[], []])
  })

  it('keeps what stands in the way besides', async () => {
    expect(
      messages(await destroy(120, inspectorOf({})))
        .flat()
        .join(),
    ).to.match(/protection is on/)
  })

  const heading = async (inspector: Inspector): Promise<string> => {
    const plan = await destroy(102, inspector)
    const text = renderPlan(plan, {palette: makePalette(false), width: 80, showValue: showOptionValue})
    const [found = ''] = /needs signature.*/.exec(text) ?? []
    expect(renderPlanMarkdown(plan, showOptionValue)).to.include(`<i>${found}</i>`)
    const saved = encodePlan(plan)
    expect(saved.resource_changes[0]?.change.impact).to.equal(found)
    expect(decodePlan(JSON.parse(JSON.stringify(saved)))).to.deep.equal({plan})
    return found
  }

  it('counts in its heading how many have signed of how many must', async () => {
    const signed = {people: 1, needed: 2}
    expect(await heading(inspectorOf({refusal: PENDING, need: NEED}, 1))).to.equal('needs signature (0/1)')
    expect(await heading(inspectorOf({refusal: {...PENDING, signed}, need: NEED}, 2))).to.equal(
      'needs signature (1/2)',
    )
  })

  it('counts nothing where nobody may sign, or no signature would do', async () => {
    expect(await heading(inspectorOf({refusal: PENDING, need: NEED}))).to.equal('needs signature')
    expect(await heading(inspectorOf({refusal: PENDING}, 2))).to.equal('needs signature')
  })
})

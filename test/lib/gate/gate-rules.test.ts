// Rules of plugins at the gate: they make a class stricter, and what they hold back is signed for by its exact words.
import {createHash} from 'node:crypto'
import {expect} from 'chai'
import {bindAction} from '../../../src/lib/gate/bind-action.ts'
import {applyRules, type ClassRule} from '../../../src/lib/gate/classify.ts'
import type {ActionBody, OptionChange} from '../../../src/lib/model/plan.ts'
import {GateBench, toyGuest} from '../../support/gate-bench.ts'
import {optionChange} from '../../support/planned-action.ts'

const START = {type: 'start'} as const
const benign = {class: 'benign'} as const
const failing: ClassRule = () => {
  throw new Error('felhom-plugin-x: it broke')
}

describe('the rules of plugins', () => {
  it('raise a class and never lower it; one without a view changes nothing', async () => {
    const request = (await GateBench.open()).request(START, benign)
    const views = async (...rules: ClassRule[]): Promise<string> =>
      (await applyRules('benign', rules, request)).class
    expect(await views()).to.equal('benign')
    expect(
      await views(
        () => undefined,
        () => 'benign',
      ),
    ).to.equal('benign')
    expect(
      await views(
        () => undefined,
        () => Promise.resolve('destructive'),
      ),
    ).to.equal('destructive')
    expect(await applyRules('destructive', [() => 'benign'], request)).to.deep.equal({class: 'destructive'})
    expect(await applyRules('destructive', [() => 'destructive'], request)).to.deep.equal({
      class: 'destructive',
    })
    expect(await applyRules('benign', [() => 'destructive'], request)).to.deep.equal({
      class: 'destructive',
      raisedBy: 'a rule of a plugin',
    })
  })

  it('are all asked, with the request, whatever the others say', async () => {
    const seen: string[] = []
    const rule: ClassRule = ({action}) => {
      seen.push(action.type)
      return 'destructive'
    }
    const bench = await GateBench.open({gate: {rules: [rule, rule]}})
    expect(await bench.ask(bench.request(START, benign))).to.equal('pending_signature')
    expect(seen).to.deep.equal(['start', 'start'])
    expect(bench.decisions[0]).to.include({op: 'guest.change', class: 'destructive', vmid: 104})
  })

  it('are named by what is refused for them, which is not said to lose anything', async () => {
    const named: ClassRule = Object.assign(() => 'destructive' as const, {
      label: 'the rule r of the plugin p',
    })
    const bench = await GateBench.open({gate: {rules: [() => undefined, named]}})
    const messageOf = async (body: ActionBody): Promise<string | undefined> =>
      (await bench.gate.inspect(bench.request(body, benign))).refusal?.message
    expect(await messageOf(START)).to.equal('the rule r of the plugin p demands the signature of an operator')
    expect(await messageOf({type: 'migrate', to: ['pve2']})).to.match(
      /^the rule r of the plugin p demands a signature, and no signature can allow it: /,
    )
  })

  it('are not needed for what a plan says is destructive, and what loses nothing is not said to', async () => {
    const bench = await GateBench.open()
    const inspection = await bench.gate.inspect(bench.request(START, {class: 'destructive'}))
    expect(inspection.refusal?.message).to.equal(
      'it loses nothing, but the signature of an operator is demanded for it',
    )
  })

  it('are asked once for a verdict that was weighed before', async () => {
    let asked = 0
    const counting: ClassRule = () => {
      asked++
      return 'destructive'
    }
    const bench = await GateBench.open({gate: {rules: [counting]}})
    const request = bench.request(START, benign)
    const weighed = await bench.gate.weigh?.(request)
    expect(asked).to.equal(1)
    const verdict = await bench.gate.authorize(request, weighed)
    expect(verdict.allowed).to.equal(false)
    expect(asked).to.equal(1)
    const none = await GateBench.open()
    expect(await none.gate.weigh?.(none.request(START, benign))).to.equal(undefined)
  })

  it('let pass what is signed for, once', async () => {
    const bench = await GateBench.open({gate: {rules: [() => 'destructive']}})
    const request = bench.request(START, benign)
    const envelope = bench.seal({payload: bench.payload({}, bench.bound(START))})
    expect(await bench.decide(envelope, request)).to.equal('allow')
    expect(await bench.decide(envelope, request)).to.equal('replay')
  })

  it('that fail let nothing pass, at whichever door, and it is audited', async () => {
    const bench = await GateBench.open({gate: {rules: [failing]}})
    const request = bench.request(START, benign)
    const refusal = {code: 'rule_failed', message: 'felhom-plugin-x: it broke'}
    const verdict = await bench.gate.authorize(request)
    expect(!verdict.allowed && verdict.refusal).to.deep.equal(refusal)
    expect(await bench.gate.preview(request)).to.deep.equal(refusal)
    expect(await bench.gate.inspect(request)).to.deep.equal({class: 'destructive', refusal})
    const entry = {op: 'start', class: 'destructive', vmid: 104, signers: [], decision: 'refuse'}
    const audited = {...entry, refusal: refusal.code, message: refusal.message}
    expect(bench.decisions).to.deep.equal([audited, audited])
  })
})

describe('the words for what loses nothing', () => {
  const target = {kind: 'lxc', vmid: 104, node: 'pve1'} as const
  const paramsOf = (body: ActionBody): unknown => {
    const bound = bindAction(body, target, toyGuest())
    return 'unsupported' in bound ? bound.unsupported : {op: bound.op, ...bound.params}
  }
  const change = (...changes: OptionChange[]): unknown => paramsOf({type: 'set-config', changes})
  const op = 'guest.change'

  it('say which action, and what about it counts', () => {
    expect(paramsOf(START)).to.deep.equal({op, action: 'start'})
    expect(paramsOf({type: 'restart'})).to.deep.equal({op, action: 'restart'})
    expect(paramsOf({type: 'shutdown', timeoutMs: 1, force: true})).to.deep.equal({
      ...{op, action: 'shutdown', force: true, timeout_ms: 1},
    })
    expect(paramsOf({type: 'resize', disk: 'mp0', fromBytes: 1, toBytes: 2})).to.deep.equal({
      ...{op, action: 'resize', disk: 'mp0', to_bytes: 2},
    })
  })

  it('name the options in order, and digest their values', () => {
    const [memory, cores] = [optionChange('memory', '1', '2'), optionChange('cores', '1', undefined)]
    const hash = createHash('sha256').update('[["cores",null],["memory","2"]]').digest('hex')
    const words = {op, action: 'set-config', options: ['cores', 'memory'], values: `sha256:${hash}`}
    expect(change(memory, cores)).to.deep.equal(words)
    expect(change(cores, memory)).to.deep.equal(words)
  })

  it('are not for a change that can lose data, or has an operation of its own, or that nobody knows', () => {
    const memory = optionChange('memory', '1', '2')
    const alone = 'a change that can lose data must be the only one of its request'
    expect(change()).to.equal(alone)
    for (const other of ['mp0', 'protection', 'brandnew'])
      expect(change(memory, optionChange(other, 'x', undefined)), other).to.equal(alone)
    expect(change(optionChange('mp0', 'x', undefined))).to.include({op: 'volume.detach'})
    expect(change(optionChange('brandnew', undefined, '1'))).to.match(/brandnew/)
  })
})

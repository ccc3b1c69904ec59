import {expect} from 'chai'
import {chooseApprovals} from '../../../src/lib/gate/choose-approval.ts'
import {actionDigest} from '../../../src/lib/gate/digests.ts'
import type {ApprovalFile} from '../../../src/lib/gate/ports.ts'
import {anna, bert, GateBench, showTime, stranger, trustFile} from '../../support/gate-bench.ts'

const file = (name: string, bytes: Uint8Array, more: Partial<ApprovalFile> = {}): ApprovalFile => ({
  name,
  bytes,
  ...more,
})

describe('which approvals could be for an action', () => {
  it('those for this very action first, then those for the guest, then those that somebody named', async () => {
    const bench = await GateBench.open()
    const bound = bench.bound()
    const other = {...bound, op: 'guest.template', params: {}} as const
    const elsewhere = {...bound, target: {...bound.target, vmid: 105}}
    const digest = actionDigest(bound).slice('sha256:'.length)
    const files = [
      file('named', Buffer.from('junk'), {handedOver: true}),
      file(`${digest.slice(0, 16)}-nonce.json`, Buffer.from('junk')),
      file('guest', bench.seal({payload: bench.payload({}, other)})),
      file('exact', bench.seal()),
      file('unsigned', bench.seal({keys: []})),
      file('elsewhere', bench.seal({payload: bench.payload({}, elsewhere)})),
      file('junk', Buffer.from('junk')),
      file(`${digest.slice(0, 15)}-nonce.json`, Buffer.from('junk')),
    ]
    const chosen = chooseApprovals(files, bound)
    expect(chosen.map(({nearness}) => nearness)).to.deep.equal(['exact', 'guest', 'named', 'named'])
    expect(chosen.map(({file: {name}}) => name).slice(0, 3)).to.deep.equal(['exact', 'guest', 'named'])
  })

  it('takes one for another kind of guest under the same number for another', async () => {
    const bench = await GateBench.open()
    const bound = bench.bound()
    const machine = {...bound, target: {...bound.target, kind: 'qemu'}}
    const files = [file('machine', bench.seal({payload: bench.payload({}, machine)}))]
    expect(chooseApprovals(files, bound)).to.deep.equal([])
  })

  it('survives whatever lies there', async () => {
    const bench = await GateBench.open()
    const junk = [
      '',
      'null',
      '[]',
      '{"payload":1}',
      '{"payload":"AA=="}',
      '{"signatures":[]}',
      '{"payload":"bnVsbA==","signatures":[1]}',
      `{"payload":"${Buffer.from('{"target":null}').toString('base64')}","signatures":[1]}`,
    ]
    const files = junk.map((text, index) => file(String(index), Buffer.from(text)))
    expect(chooseApprovals(files, bench.bound())).to.deep.equal([])
  })

  it('takes no list for the number of a guest, however deep it is nested', async () => {
    const bench = await GateBench.open()
    const {vmid} = bench.bound().target
    const numbers = [`[${vmid}]`, `${'['.repeat(20_000)}${']'.repeat(20_000)}`]
    const files = numbers.map((number) => {
      const payload = Buffer.from(`{"target":{"kind":"lxc","vmid":${number}}}`).toString('base64')
      return file('a', Buffer.from(`{"v":1,"payload":"${payload}","signatures":["x"]}`))
    })
    expect(chooseApprovals(files, bench.bound())).to.deep.equal([])
  })

  it('is told by a look at each, and not by another for every action', async () => {
    const bench = await GateBench.open()
    const bytes = Buffer.from(bench.seal())
    const look = (): string[] =>
      chooseApprovals([file('a', bytes)], bench.bound()).map(({nearness}) => nearness)
    expect(look()).to.deep.equal(['exact'])
    bytes.fill(0)
    expect(look()).to.deep.equal(['exact'])
  })
})

describe('the refusal that is told among several', () => {
  it('is that of the approval for exactly this action: expired, rather than pending', async () => {
    const bench = await GateBench.open()
    const exp = showTime(bench.nowMs - 1000)
    bench.lay(bench.seal({payload: bench.payload({exp})}), {})
    bench.lay(Buffer.from('junk'), {})
    expect(await bench.ask()).to.equal('expired')
  })

  it('is that of the one that came furthest', async () => {
    const bench = await GateBench.open({trust: [trustFile({thresholds: {default: 2, recovery: 1}})]})
    bench.lay(bench.seal({keys: [stranger]}), {})
    bench.lay(bench.seal({keys: [anna]}), {})
    bench.lay(
      bench.seal({payload: bench.payload({exp: showTime(bench.nowMs - 1000)}), keys: [anna, bert]}),
      {},
    )
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('is of the nearest, though one further away came further', async () => {
    const bench = await GateBench.open()
    const other = {...bench.bound(), op: 'guest.template', params: {}} as const
    bench.lay(bench.seal({payload: bench.payload({}, other)}), {})
    bench.lay(bench.seal({keys: [stranger]}), {})
    expect(await bench.ask()).to.equal('unknown_signer')
  })

  it('is of the one that was handed over, where nothing else is there', async () => {
    const bench = await GateBench.open()
    const elsewhere = {...bench.bound(), target: {...bench.bound().target, vmid: 105}}
    expect(await bench.decide({payload: bench.payload({}, elsewhere)})).to.equal('binding_mismatch')
    expect(await bench.decide(Buffer.from('junk'))).to.equal('malformed')
  })
})

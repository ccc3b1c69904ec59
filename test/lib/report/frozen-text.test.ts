import {expect} from 'chai'
import {describeFrozen} from '../../../src/lib/report/frozen-text.ts'
import {intentOf, openOf, operationOf} from '../../support/operations.ts'

describe('what a plan says of frozen guests', () => {
  it('is nothing when nothing is open', () => {
    expect(describeFrozen([])).to.equal(undefined)
  })

  it('names the guest, what was asked of it, and that it is quarantined', () => {
    const one = operationOf(intentOf(1, {type: 'start'}), {state: 'quarantined', by: 'recover'})
    expect(describeFrozen([one])).to.equal(
      '1 operation of an earlier run has no end yet, and its guest is frozen until then: lxc/101 (start; quarantined). See: felhom journal inflight',
    )
  })

  it('counts those that it does not name', () => {
    const many = Array.from({length: 50}, (_, i) =>
      openOf(intentOf(i, {type: 'start'}, {target: {kind: 'lxc', vmid: 101 + i, node: 'pve1'}}), 'started'),
    )
    const text = describeFrozen(many) ?? ''
    expect(text).to.match(/^50 operations of an earlier run have no end yet, and their guests are frozen/)
    expect(text).to.contain('lxc/108 (start) and 42 more.').and.not.contain('lxc/109')
  })
})

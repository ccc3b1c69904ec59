import {expect} from 'chai'
import {Socket} from 'node:net'
import {singleUse} from '../../../src/lib/pve/single-use-connector.ts'
import type {Connector} from '../../../src/lib/pve/tls-trust.ts'

const TARGET = {hostname: 'pve1', protocol: 'https:', port: '8006'}

/** What a connector handed to its callback. */
const connectWith = (connector: Connector): unknown[] => {
  let given: unknown[] = []
  connector(TARGET, (...args) => (given = args))
  return given
}

describe('a connector for one use', () => {
  it('hands over one socket and no second one', () => {
    let opened = 0
    const socket = new Socket()
    const once = singleUse((_options, callback) => {
      opened++
      callback(null, socket)
    })
    expect(once.handedOver()).to.equal(false)
    expect(connectWith(once.connect)).to.deep.equal([null, socket])
    expect(once.handedOver()).to.equal(true)
    expect(connectWith(once.connect)[0]).to.have.property('code', 'connection_lost')
    expect(opened).to.equal(1)
  })

  it('does not try again after a failure, and has handed over nothing', () => {
    let tried = 0
    const once = singleUse((_options, callback) => {
      tried++
      callback(new Error('refused'), null)
    })
    connectWith(once.connect)
    connectWith(once.connect)
    expect(tried).to.equal(1)
    expect(once.handedOver()).to.equal(false)
  })
})

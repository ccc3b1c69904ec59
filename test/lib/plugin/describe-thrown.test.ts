import {expect} from 'chai'
import {describeThrown} from '../../../src/lib/plugin/describe-thrown.ts'

const fail = (): never => {
  throw new Error('again')
}

describe('what a plugin threw', () => {
  it('is told in the words that it has', () => {
    expect(describeThrown(new TypeError('no luck'))).to.equal('no luck')
    expect(describeThrown('odd')).to.equal('odd')
    expect(describeThrown(undefined)).to.equal('undefined')
    expect(describeThrown(Symbol('odd'))).to.equal('Symbol(odd)')
  })

  it('is told even if it cannot be shown', () => {
    const broken = Object.defineProperty(new Error('x'), 'message', {get: fail})
    const trap = new Proxy({}, {get: fail, getPrototypeOf: fail})
    for (const thrown of [Object.create(null), {toString: fail}, broken, trap])
      expect(describeThrown(thrown)).to.equal('it threw something that cannot be shown')
    for (const thrown of [new Error(), '', Object.assign(new Error('x'), {message: 5})])
      expect(describeThrown(thrown)).to.equal('it threw something without a text')
  })
})

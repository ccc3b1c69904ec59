import {expect} from 'chai'
import {hasSmallOrder, readEdwardsPoint} from '../../../src/lib/gate/edwards-point.ts'

/** Little-endian, as keys are written. */
const read = (hex: string): ReturnType<typeof readEdwardsPoint> => readEdwardsPoint(Buffer.from(hex, 'hex'))

describe('a point of ed25519', () => {
  const P = 2n ** 255n - 19n
  /** Of RFC 8032. */
  const X = 15112221349535400772501151409588531511454012693041857206046113283949847762202n
  const Y = 46316835694926478169428394003475163141307993866256225615783033603165251855960n

  it('has the x that its sign tells: the base point, and the one across', () => {
    expect(read(`58${'66'.repeat(31)}`)).to.deep.equal({x: X, y: Y, z: 1n})
    expect(read(`58${'66'.repeat(30)}e6`)).to.deep.equal({x: P - X, y: Y, z: 1n})
  })

  it('is of small order only where eight times it is nothing', () => {
    expect(hasSmallOrder({x: X, y: Y, z: 1n})).to.equal(false)
    expect(hasSmallOrder({x: 0n, y: 1n, z: 1n})).to.equal(true)
    expect(hasSmallOrder({x: 0n, y: P - 1n, z: 1n})).to.equal(true)
  })

  it('has one encoding: none beyond the field, and no sign where x is zero', () => {
    expect(read('00'.repeat(32))?.y).to.equal(0n)
    expect(read(`ed${'ff'.repeat(30)}7f`), 'zero beyond the field').to.equal(undefined)
    expect(read(`01${'00'.repeat(31)}`)).to.deep.equal({x: 0n, y: 1n, z: 1n})
    expect(read(`01${'00'.repeat(30)}80`), 'zero with a sign').to.equal(undefined)
    expect(read(`02${'00'.repeat(31)}`), 'no point').to.equal(undefined)
  })
})

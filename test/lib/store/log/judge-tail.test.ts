import {expect} from 'chai'
import {isTorn} from '../../../../src/lib/store/log/judge-tail.ts'

const record = (seq: number): Buffer => Buffer.from(`{"seq":${seq},"type":"x","text":"${'a'.repeat(600)}"}\n`)

describe('the judgement of the end of a log', () => {
  it('takes a line of which the size is there and nothing else for torn, within one sector too', () => {
    expect(isTorn(Buffer.alloc(100), 300, 7)).to.equal(true)
    expect(isTorn(Buffer.alloc(900), 300, 7)).to.equal(true)
  })

  it('takes a line for torn whose first sector was not written again, though the rest was', () => {
    const tail = record(7)
    tail.fill(0, 0, 512 - 300)
    expect(isTorn(tail, 300, 7)).to.equal(true)
  })

  it('takes a line for torn whose last sector was not written', () => {
    const tail = record(7)
    tail.fill(0, 512 - 300)
    expect(isTorn(tail, 300, 7)).to.equal(true)
  })

  it('takes zeros that end at no sector for damage', () => {
    const tail = record(7)
    tail.fill(0, 0, 512 - 300 - 1)
    expect(isTorn(tail, 300, 7)).to.equal(false)
  })

  it('takes a whole line with another text for damage', () => {
    const tail = record(7)
    tail[20] = 0x40
    expect(isTorn(tail, 300, 7)).to.equal(false)
  })
})

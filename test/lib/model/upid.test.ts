import {expect} from 'chai'
import fc from 'fast-check'
import {formatUpid, parseUpid, readUpid} from '../../../src/lib/model/upid.ts'

const TEXT = 'UPID:pve-1:0000ABCD:00D5E7F1:691BE2A0:vzstart:101:root@pam!felhom:'

describe('a task id', () => {
  it('tells node, process, time, type, guest and the whole token of its user', () => {
    expect(parseUpid(TEXT)).to.deep.equal({
      text: TEXT,
      node: 'pve-1',
      pid: 0xabcd,
      pstart: 0xd5e7f1,
      starttime: 0x691be2a0,
      type: 'vzstart',
      id: '101',
      user: 'root@pam!felhom',
    })
  })

  it('may come without a guest, without a token, and from a node that has been up for years', () => {
    const upid = parseUpid('UPID:pve:00000001:123456789:60000000:aptupdate::root@pam:')
    expect(upid).to.include({id: '', user: 'root@pam', pstart: 0x123456789})
  })

  it('is written back as it was read', () => {
    expect(formatUpid(parseUpid(TEXT))).to.equal(TEXT)
  })

  const REFUSED = [
    '',
    'UPID',
    TEXT.slice(0, -1),
    `${TEXT}x`,
    `${TEXT}\n`,
    TEXT.replace('UPID', 'upid'),
    TEXT.replace('pve-1', '-pve'),
    TEXT.replace('pve-1', 'pve/../x'),
    TEXT.replace('0000ABCD', '000ABCD'),
    TEXT.replace('00D5E7F1', '0000D5E7F1'),
    TEXT.replace('691BE2A0', '691BE2AG'),
    TEXT.replace('vzstart', ''),
    TEXT.replace('vzstart', 'vz start'),
    TEXT.replace('101', '1/1'),
    TEXT.replace('root@pam!felhom', 'root'),
    TEXT.replace('root@pam!felhom', 'root@pam!'),
  ]
  for (const text of REFUSED) {
    it(`is not ${JSON.stringify(text)}`, () => {
      expect(readUpid(text)).to.equal(undefined)
      expect(() => parseUpid(text))
        .to.throw()
        .with.property('code', 'bad_answer')
    })
  }

  it('is read back from what was written, whatever the numbers', () => {
    const uint32 = fc.nat(0xffffffff)
    fc.assert(
      fc.property(uint32, fc.nat(0xfffffffff), uint32, (pid, pstart, starttime) => {
        const fields = {node: 'n', pid, pstart, starttime, type: 't', id: '', user: 'u@pve!tok'}
        const text = formatUpid(fields)
        expect(readUpid(text)).to.deep.equal({text, ...fields})
      }),
    )
  })

  it('never hangs and never throws on any text', () => {
    const part = fc.constantFrom('UPID', ':', 'pve', '-', '00000001', 'A', '@pam', '!', '/', '\n', 'ü')
    const noise = fc.oneof(
      fc.string({maxLength: 300}),
      fc.array(part, {maxLength: 80}).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(noise, (text) => {
        const upid = readUpid(text)
        if (upid) expect(upid.text).to.equal(text)
      }),
      {numRuns: 2000},
    )
  })
})

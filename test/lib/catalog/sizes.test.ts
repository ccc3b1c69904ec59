import {expect} from 'chai'
import fc from 'fast-check'
import {formatSize, hasSizeUnit, parseSizeBytes, showSize} from '../../../src/lib/catalog/sizes.ts'

describe('sizes', () => {
  it('have binary units, however they are written', () => {
    for (const text of ['8G', '8GiB', '8g', '8GB', '8192M', '8 GiB', '8.0G']) {
      expect(parseSizeBytes(text), text).to.equal(8 * 1024 ** 3)
    }
    expect(parseSizeBytes('1024')).to.equal(1024)
  })

  it('are refused when they are none', () => {
    for (const text of ['', 'G', '8P', '-8G', '8G8', '1e3G', '8Gi', '99999999999999T']) {
      expect(parseSizeBytes(text), text).to.equal(undefined)
    }
  })

  it('tell whether they have a unit', () => {
    expect(hasSizeUnit('8G')).to.equal(true)
    expect(hasSizeUnit('8')).to.equal(false)
  })

  it('are written as Proxmox and as people write them', () => {
    expect(formatSize(8 * 1024 ** 3)).to.equal('8G')
    expect(formatSize(528 * 1024)).to.equal('528K')
    expect(formatSize(1023)).to.equal('1023')
    expect(formatSize(0)).to.equal('0T')
    expect(showSize(8 * 1024 ** 3)).to.equal('8GiB')
    expect(showSize(1023)).to.equal('1023B')
  })

  it('are the same after writing and reading', () => {
    const bytes = fc.nat().chain((amount) => fc.constantFrom(amount, amount * 1024, amount * 1024 ** 2))
    fc.assert(fc.property(bytes, (size) => parseSizeBytes(formatSize(size)) === size))
  })
})

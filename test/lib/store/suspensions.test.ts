import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import fc from 'fast-check'
import type {Suspension} from '../../../src/lib/model/daemon.ts'
import {
  decodeSuspensions,
  encodeSuspensions,
  readKeptSuspensions,
  readSuspensions,
  writeSuspensions,
} from '../../../src/lib/store/suspensions.ts'

const NOW = Date.UTC(2026, 10, 18)
const BOTH: readonly Suspension[] = [
  {vmid: 'all', sinceMs: NOW - 10, by: 'root@pve1'},
  {vmid: 101, sinceMs: NOW - 5, untilMs: NOW + 5, reason: 'kézzel ☂', by: 'anna@pve1'},
]

const arbitrary = fc
  .uniqueArray(fc.oneof(fc.constant('all' as const), fc.integer({min: 100, max: 999_999_999})))
  .chain((vmids) =>
    fc.tuple(
      ...vmids.map((vmid) =>
        fc.record(
          {
            vmid: fc.constant(vmid),
            sinceMs: fc.nat(NOW),
            untilMs: fc.nat(NOW * 2),
            reason: fc.string({unit: 'grapheme', maxLength: 40}),
            by: fc.string(),
          },
          {requiredKeys: ['vmid', 'sinceMs', 'by']},
        ),
      ),
    ),
  )

describe('the suspensions on disk', () => {
  let dir: string
  let path: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-suspend-'))
    path = join(dir, 'suspensions.json')
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  /** All are suspended, because of what is wrong. */
  const expectAll = (why: RegExp, what?: string): void => {
    const found = readSuspensions(dir, NOW)
    expect(
      found.map(({vmid}) => vmid),
      what,
    ).to.deep.equal(['all'])
    expect(found[0]?.reason, what).to.match(why)
  }

  it('are none where there is no file, and reading makes none', () => {
    expect(readSuspensions(dir, NOW)).to.deep.equal([])
    expect(readSuspensions(join(dir, 'nowhere'), NOW)).to.deep.equal([])
    expect(readdirSync(dir)).to.deep.equal([])
  })

  it('are read as they were written, for us alone, and nothing else is left behind', () => {
    writeSuspensions(dir, BOTH)
    expect(readSuspensions(dir, NOW)).to.deep.equal(BOTH)
    expect(statSync(path).mode & 0o7777).to.equal(0o600)
    writeSuspensions(dir, [])
    expect(readSuspensions(dir, NOW)).to.deep.equal([])
    expect(readdirSync(dir)).to.deep.equal(['suspensions.json'])
  })

  it('hold to the last millisecond before their end, and not after', () => {
    writeSuspensions(dir, BOTH)
    expect(readSuspensions(dir, NOW + 4)).to.have.lengthOf(2)
    expect(readSuspensions(dir, NOW + 5).map(({vmid}) => vmid)).to.deep.equal(['all'])
    expect(readKeptSuspensions(dir)).to.deep.equal({suspensions: BOTH, unaudited: []})
  })

  it('of any kind come back the same', () => {
    fc.assert(
      fc.property(arbitrary, arbitrary, (suspensions, unaudited) => {
        const text = encodeSuspensions({suspensions, unaudited})
        expect(decodeSuspensions(text)).to.deep.equal({suspensions, unaudited})
      }),
    )
  })

  it('cut at any byte suspend all, and say so', () => {
    const bytes = Buffer.from(encodeSuspensions({suspensions: BOTH, unaudited: BOTH.slice(1)}))
    for (let length = 0; length < bytes.length; length++) {
      writeFileSync(path, bytes.subarray(0, length), {mode: 0o600})
      expectAll(/suspensions\.json .*felhom resume --all$/s, `cut at ${length}`)
    }
  })

  it('with any bit flipped suspend all', () => {
    const bytes = Buffer.from(encodeSuspensions({suspensions: BOTH, unaudited: BOTH.slice(1)}))
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(decodeSuspensions(flipped.toString('utf8')), `bit ${bit}`).to.have.property('problem')
    }
  })

  it('of a newer felhom, of a hand, or of hostile texts suspend all', () => {
    const whole = encodeSuspensions({suspensions: BOTH, unaudited: BOTH.slice(1)})
    const bad: readonly [string, RegExp][] = [
      [whole.replace('"format":1', '"format":2'), /newer felhom/],
      [whole.replace('"vmid":101', '"vmid":102'), /checksum/],
      [whole.replace('"vmid":101', '"vmid":99'), /as felhom writes/],
      [`${whole}\n`, /checksum/],
      ['null', /as felhom writes/],
      ['[]', /as felhom writes/],
      ['{"format":1,"suspensions":{}}', /as felhom writes/],
      ['{"format":1,"suspensions":[null]}', /as felhom writes/],
      [whole.replace('"format":1', '"__proto__":{},"format":1'), /checksum/],
    ]
    for (const [text, why] of bad) {
      writeFileSync(path, text, {mode: 0o600})
      expectAll(why, text)
    }
  })

  it('that others may change, or that are no file, suspend all', () => {
    writeSuspensions(dir, [])
    chmodSync(path, 0o660)
    expectAll(/mode 0660.*chmod 600/)
    rmSync(path)
    symlinkSync('/dev/null', path)
    expectAll(/cannot be opened/)
    rmSync(path)
    mkdirSync(path)
    expectAll(/no regular file/)
    rmSync(path, {recursive: true})
    writeFileSync(path, Buffer.alloc(5 * 1024 * 1024), {mode: 0o600})
    expectAll(/5242880 bytes/)
  })

  it('that cannot be replaced stay as they were', () => {
    writeSuspensions(dir, BOTH)
    const before = readFileSync(path, 'utf8')
    rmSync(path)
    mkdirSync(join(path, 'in the way'), {recursive: true})
    expect(() => {
      writeSuspensions(dir, [])
    })
      .to.throw('cannot be written')
      .with.property('code', 'journal_failed')
    expect(readdirSync(dir)).to.deep.equal(['suspensions.json'])
    rmSync(path, {recursive: true})
    writeFileSync(path, before, {mode: 0o600})
    expect(readSuspensions(dir, NOW)).to.deep.equal(BOTH)
  })
})

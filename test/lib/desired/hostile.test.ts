// Texts that mean harm, or were broken on their way: a clear mistake, never a crash, never without end.
import {expect} from 'chai'
import fc from 'fast-check'
import {DesiredReader, MAX_DIAGNOSTICS, MAX_TOTAL_BYTES} from '../../../src/lib/desired/read-desired.ts'
import {MAX_FILE_BYTES, MAX_GUESTS, readFile} from '../../../src/lib/desired/read-file.ts'
import {ValueCache} from '../../../src/lib/desired/value-cache.ts'
import {mistakesIn, readTexts, stateOf} from '../../support/desired.ts'

const codes = (text: string | Uint8Array): string[] => mistakesIn(text).map(({code}) => code)
const guests = (body: string): string => `felhom: 1\nguests:\n${body}\n`

describe('a hostile desired state', () => {
  it('has no aliases, anchors, merge keys or tags of its own', () => {
    expect(codes(guests('  101: &a {kind: lxc}\n  102: *a'))).to.deep.equal(['anchor', 'alias'])
    expect(codes(guests('  101: {kind: lxc, <<: {run: running}}'))).to.deep.equal(['unknown_key'])
    expect(codes(guests('  101: !danger {kind: lxc}'))).to.deep.equal(['yaml_syntax'])
    expect(codes('%YAML 1.1\n---\nfelhom: 1\n')).to.deep.equal(['yaml_version'])
  })

  it('cannot reach a prototype', () => {
    for (const key of ['__proto__', 'constructor', 'prototype'])
      expect(codes(guests(`  101: {kind: lxc, ${key}: {polluted: true}}`)), key).to.deep.equal([
        'forbidden_key',
      ])
    for (const key of ['toString', 'hasOwnProperty', 'valueOf'])
      expect(codes(guests(`  101: {kind: lxc, config: {${key}: 1}}`)), key).to.deep.equal(['unknown_key'])
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
  })

  it('names guests by whole decimal numbers from 100 to 999999999', () => {
    for (const vmid of [
      '99',
      '0',
      '-101',
      '101.5',
      '1e21',
      '1e3',
      '0x65',
      '0o145',
      '0101',
      '1_000',
      '+101',
      '1000000000',
    ])
      expect(codes(guests(`  ${vmid}: {kind: lxc}`)), vmid).to.deep.equal(['vmid'])
    for (const vmid of ['web', '.inf', '.nan', '"101 "', '""'])
      expect(codes(guests(`  ${vmid}: {kind: lxc}`)), vmid).to.deep.equal(['vmid'])
    for (const vmid of ['null', 'true', '~', '[101]', '{a: 1}'])
      expect(codes(guests(`  ? ${vmid}\n  : {kind: lxc}`)), vmid).to.deep.equal(['key_type'])
    for (const vmid of ['100', '999999999', '"101"', "'101'"])
      expect(stateOf(guests(`  ${vmid}: {kind: lxc}`)).guests, vmid).to.have.length(1)
  })

  it('holds one document', () => {
    const second = mistakesIn('felhom: 1\n---\nfelhom: 1\n')
    expect(second).to.have.length(1)
    expect(second[0]).to.deep.include({code: 'several_documents', line: 2})
    expect(stateOf('---\nfelhom: 1\n...\n').guests).to.deep.equal([])
  })

  it('may come from Windows, with a byte order mark and CRLF', () => {
    const text =
      '\uFEFFfelhom: 1\r\nguests:\r\n  101:\r\n    kind: lxc\r\n    config:\r\n      cores: none\r\n'
    const [found] = mistakesIn(text)
    expect(found).to.deep.include({line: 6, column: 14, length: 4, sourceLine: '      cores: none'})
    expect(stateOf(text.replace('none', '2')).guests).to.have.length(1)
  })

  it('has no NUL, control character, lone carriage return, or tab as indentation', () => {
    for (const c of ['\0', '\x01', '\x07', '\x1b', '\x7f', '\x9b', '\ufffe', '\r'])
      expect(codes(guests(`  101: {kind: lxc} # ${c}x`)), JSON.stringify(c)).to.deep.equal([
        'control_character',
      ])
    expect(codes(guests('\t101: {kind: lxc}'))[0]).to.equal('yaml_syntax')
  })

  it('is UTF-8', () => {
    expect(codes(Buffer.from([0x66, 0xc3, 0x28]))).to.deep.equal(['bad_utf8'])
    expect(codes(Buffer.from('felhom: 1\n', 'utf16le'))).to.deep.equal(['control_character'])
    expect(codes(Buffer.from([0xff, 0xfe, 0x66, 0x00]))).to.deep.equal(['bad_utf8'])
  })

  it('is not nested deeply, in any way of nesting', () => {
    const staircase = Array.from({length: 2000}, (_, i) => `${' '.repeat(i)}a:\n`).join('')
    const texts = [
      '['.repeat(100_000),
      '{a: '.repeat(100_000),
      '- '.repeat(100_000),
      '? '.repeat(100_000),
      staircase,
    ]
    for (const text of texts) expect(codes(text)[0], text.slice(0, 10)).to.equal('too_deep')
    expect(
      codes(guests(`  101: {kind: lxc, config: {cores: ${'['.repeat(20)}${']'.repeat(20)}}}`)),
    ).to.deep.equal(['too_deep'])
  })

  it('is refused by its size before it is parsed', () => {
    expect(codes(Buffer.alloc(MAX_FILE_BYTES + 1, 0x20))).to.deep.equal(['too_large'])
    expect(codes(`[${'a,'.repeat(1_000_001)}]`)).to.deep.equal(['too_large'])
    expect(codes(`"${'\\q'.repeat(1_000_001)}"`)).to.deep.equal(['too_large'])
  })

  it('is refused when all files together are too large', () => {
    const comment = Buffer.alloc(MAX_FILE_BYTES, 0x23)
    const names = Array.from({length: MAX_TOTAL_BYTES / MAX_FILE_BYTES + 1}, (_, i) => `${String(i)}.yaml`)
    const found = mistakesIn(Object.fromEntries(names.map((name) => [name, comment])))
    expect(found.filter(({code}) => code === 'too_large').map(({file}) => file)).to.deep.equal([names.at(-1)])
  })

  it('does not drown the reader in mistakes, nor felhom', () => {
    const many = Array.from({length: MAX_DIAGNOSTICS + 500}, (_, i) => `  ${String(i + 100)}: {}`).join('\n')
    const reading = readTexts({'a.yaml': guests(many)})
    expect(reading).to.deep.include({valid: false, mistakeCount: MAX_DIAGNOSTICS + 500})
    expect(!reading.valid && reading.diagnostics.length).to.equal(MAX_DIAGNOSTICS)
    expect(codes('- @\n'.repeat(200_000)).length).to.be.lessThan(200)
    expect(codes(']\n'.repeat(200_000)).length).to.be.lessThan(200)
  })

  it('costs no more than its size when all of it is one line, whatever is wrong there', () => {
    const [short] = mistakesIn('felhom: 1\nguests: {101: {kind: lxc, cores: 1}}')
    expect(short?.sourceLine).to.equal('guests: {101: {kind: lxc, cores: 1}}')
    const blank = mistakesIn(`felhom: 1\nguests: {101: {kind: lxc, password:${' '.repeat(200_000)}x}}`)
    expect(blank.map(({line, sourceLine}) => [line, sourceLine])).to.deep.equal([[2, undefined]])
    const parts = mistakesIn(guests(`  101: {kind: lxc, config: {net0: "${'a=,'.repeat(200_000)}"}}`))
    expect(parts[1]).to.deep.include({line: 3, column: 35}).and.not.have.property('sourceLine')
  })

  it('is told what it may have meant for a thousand unknown names, and not for all', () => {
    const slip = (others: number): string =>
      guests('  101: {kind: lxc, config: {hostnam: x}}') +
      Array.from({length: others}, (_, i) => `k${i}: 1\n`).join('')
    // The keys of the file itself are looked at before its guests.
    expect(mistakesIn(slip(900))[0]).to.deep.include({line: 3, suggestion: 'hostname'})
    const [found] = mistakesIn(slip(1000))
    expect(found).to.deep.include({line: 3, code: 'unknown_key'}).and.not.have.property('suggestion')
  })

  it('is told what it may have meant for so many unknown parts and values, too', () => {
    const slip = (others: string): string =>
      guests(`  102: {kind: qemu, disks: {scsi0: {cachee: none}}}\n  101: {kind: qemu, ${others}}`)
    const many = (count: number, one: (i: number) => string): string =>
      Array.from({length: count}, (_, i) => one(i)).join(', ')
    const mistakes = [
      (count: number) => `disks: {scsi0: {${many(count, (i) => `cachx${i}: 1`)}}}`,
      (count: number) => `config: {net0: "${many(count, (i) => `bridgx${i}=1`)}"}`,
      (count: number) => `config: {${many(count, (i) => `net${i}: {model: virtix${i}}`)}}`,
    ]
    for (const mistake of mistakes) {
      // The guests are looked at in the order of their numbers.
      expect(mistakesIn(slip(mistake(10)))[0]).to.deep.include({line: 3, suggestion: 'cache'})
      const [found] = mistakesIn(slip(mistake(1000)))
      expect(found).to.deep.include({line: 3, code: 'unknown_key'}).and.not.have.property('suggestion')
    }
  })

  it('has one number of guesses for all of its files, and for all that may be wrong there', () => {
    const asked: string[] = []
    const reader = new DesiredReader((word) => void asked.push(word))
    const texts = [
      '  101: {knd: lxc}',
      '  102: {kind: lxk}',
      '  103: {kind: lxc, config: {memroy: 1}}',
      '  104: {kind: lxc, disks: {rootfs: {siez: 1}}}',
      '  105: {kind: qemu, config: {net0: {model: virtoi}}}',
    ]
    for (const [i, text] of texts.entries())
      reader.add({file: `${i}.yaml`, dir: '/project', bytes: Buffer.from(guests(text))})
    expect(reader.finish()).to.have.property('valid', false)
    expect(asked).to.deep.equal(['knd', 'lxk', 'memroy', 'siez', 'virtoi'])
  })

  it('has its mistakes counted, but not placed, once as many are known as are shown', () => {
    const wrong = (from: number, count: number): string =>
      guests(Array.from({length: count}, (_, i) => `  ${String(from + i)}: {kind: qmu}`).join('\n'))
    const reading = readTexts({
      'a.yaml': wrong(100, MAX_DIAGNOSTICS - 1),
      'b.yaml': wrong(2000, 3),
      'c.yaml': wrong(3000, 500),
    })
    expect(reading).to.deep.include({valid: false, mistakeCount: MAX_DIAGNOSTICS + 502})
    expect(!reading.valid && reading.diagnostics.at(-1)).to.deep.include({
      file: 'b.yaml',
      line: 3,
      column: 16,
    })
    const placed = (diagnostics: number): boolean[] => {
      const guess = (): undefined => undefined
      const room = {marks: 1000, guests: 10, diagnostics}
      const earlier = {guests: new Map(), defaults: new Map(), values: new ValueCache(guess), guess, room}
      const text = {file: 'd.yaml', dir: '/project', bytes: Buffer.from(wrong(100, 2))}
      return readFile(text, earlier).diagnostics.map(({line}) => line !== undefined)
    }
    expect([placed(1), placed(0)]).to.deep.equal([
      [true, true],
      [false, false],
    ])
  })

  it('costs no more than its size when keys are many', () => {
    const many = Array.from({length: MAX_GUESTS}, (_, i) => `  ${String(i + 100)}: {kind: lxc}`).join('\n')
    expect(stateOf(guests(many)).guests).to.have.length(MAX_GUESTS)
  })

  it('survives any bytes, any YAML-like text and any broken file', () => {
    const check = (text: string | Uint8Array): void => {
      for (const {message, line, column} of mistakesIn(text)) {
        expect(message).to.be.a('string').and.not.equal('')
        expect(line === undefined || (line >= 1 && (column ?? 0) >= 1)).to.equal(true)
      }
    }
    fc.assert(fc.property(fc.uint8Array({maxLength: 300}), check), {numRuns: 300})
    const words = [
      'felhom',
      'guests',
      'defaults',
      'config',
      'disks',
      'create',
      'kind',
      'lxc',
      'qemu',
      'net0',
      'rootfs',
    ]
    const marks = [
      ': ',
      ':\n  ',
      '\n',
      '\n  ',
      '\n    ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      ', ',
      '"',
      "'",
      '|',
      '>',
      '#',
      '1',
      'null',
    ]
    const pieces = fc.array(fc.constantFrom(...words, ...marks, '101', 'size', '8G', '\t', '&a ', '*a'), {
      maxLength: 60,
    })
    fc.assert(
      fc.property(pieces, (parts) => {
        check(parts.join(''))
      }),
      {numRuns: 1500},
    )
    const sound = guests(
      '  101:\n    kind: lxc\n    config: {cores: 2, net0: {name: eth0}}\n    create: {clone: 102}',
    )
    fc.assert(
      fc.property(fc.nat(sound.length), fc.nat(20), fc.string({maxLength: 5}), (at, cut, put) => {
        check(sound.slice(0, at) + put + sound.slice(at + cut))
      }),
      {numRuns: 700},
    )
  })

  it('survives any value in any place', () => {
    const place = fc.constantFrom(
      (v: string) => v,
      (v: string) => `{"felhom": ${v}}`,
      (v: string) => `{"felhom": 1, "guests": ${v}}`,
      (v: string) => `{"felhom": 1, "defaults": ${v}}`,
      (v: string) => `{"felhom": 1, "defaults": {"lxc": ${v}}}`,
      (v: string) => `{"felhom": 1, "guests": {"101": ${v}}}`,
      ...['kind', 'node', 'run', 'ensure', 'config', 'disks', 'restart', 'stop', 'create'].map(
        (key) => (v: string) => `{"felhom": 1, "guests": {"101": {"kind": "lxc", "${key}": ${v}}}}`,
      ),
      ...['cores', 'net0', 'tags', 'description', 'features', 'startup', 'cpulimit'].map(
        (key) => (v: string) =>
          `{"felhom": 1, "guests": {"101": {"kind": "lxc", "config": {"${key}": ${v}}}}}`,
      ),
      ...['template', 'clone', 'password', 'sshkeys', 'storage', 'unprivileged'].map(
        (key) => (v: string) =>
          `{"felhom": 1, "guests": {"101": {"kind": "lxc", "create": {"${key}": ${v}}}}}`,
      ),
    )
    fc.assert(
      fc.property(place, fc.json({maxDepth: 3}), (put, value) => {
        const reading = readTexts({'a.json': put(value)})
        expect(reading.valid || reading.diagnostics.length > 0).to.equal(true)
      }),
      {numRuns: 1500},
    )
  })
})

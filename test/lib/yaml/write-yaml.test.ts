import {expect} from 'chai'
import fc from 'fast-check'
import {readYaml} from '../../../src/lib/yaml/read-yaml.ts'
import {Block, writeYaml, type PlainValue} from '../../../src/lib/yaml/write-yaml.ts'

const LIMITS = {maxBytes: 1 << 20, maxDepth: 16}

function read(text: string): unknown {
  const {value, diagnostics} = readYaml('written.yaml', new TextEncoder().encode(text), LIMITS)
  expect(diagnostics, text).to.deep.equal([])
  return value
}

const write = (value: PlainValue, comment?: string): string =>
  writeYaml(new Block([{key: 'value', value, ...(comment !== undefined && {comment})}]))

const HOSTILE = [
  ...['no', 'No', 'yes', 'on', 'OFF', 'y', 'true', 'null', '~', '', ' ', '-', '---', '...', '? x', ': x'],
  ...['0x1', '1e3', '1_000', '010', '0o10', '.5', '.inf', '.nan', '-1', '12', '1.10', '2026-01-01', '1:30'],
  ...['a: b', 'a #b', '#b', '  leading', 'trailing  ', "it's", '"quoted"', '{a: b}', '[a]', '&a', '*a', '!a'],
  ...[
    '%YAML',
    '@a',
    '`a`',
    '| a',
    '> a',
    'a\\nb',
    'a,b',
    '👩‍💻 emoji',
    'ünï',
    '\ufeffbom',
    'a\u202eb',
    '\u2028',
  ],
  ...['\u0000', '\u001b[31m', '\u007f', '\u0085', '\u009b', '\t', 'a\tb', '\ud800', '\u{e0041}', '\ufffe'],
  ...[
    '\n',
    'a\n',
    'a\nb',
    'a\n\nb\n\n',
    '\na',
    ' a\n b',
    '\ta\n',
    'a\r\nb',
    'a\n ',
    '# a\nb',
    'a\n\t',
    '---\na\n',
  ],
]

describe('YAML that is written', () => {
  it('reads as the same text again, however hostile it is', () => {
    for (const text of HOSTILE) {
      expect(read(write(text)), JSON.stringify(text)).to.deep.equal({value: text})
      expect(read(write([text, 'x'])), JSON.stringify(text)).to.deep.equal({value: [text, 'x']})
      expect(read(write({part: text})), JSON.stringify(text)).to.deep.equal({value: {part: text}})
      expect(read(write(text, text)), JSON.stringify(text)).to.deep.equal({value: text})
    }
  })

  it('reads as the same value again, whatever it is', () => {
    const text = fc.string({unit: 'binary', maxLength: 40})
    const scalar = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null))
    const key = fc.stringMatching(/^[a-z][a-z0-9_-]{0,9}$/)
    const value = fc.oneof(
      scalar,
      fc.array(scalar, {maxLength: 6}),
      fc.dictionary(key, scalar, {noNullPrototype: true}),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.option(text)), {maxLength: 5}), text, (values, note) => {
        const entries = values.map(([item, comment], i) => ({
          key: `k${i}`,
          value: item,
          ...(comment !== null && {comment}),
        }))
        const written = writeYaml(
          new Block([
            {key: 'top', value: new Block(entries, [note])},
            {key: 'end', value: 1},
          ]),
          [note],
        )
        if (entries.length === 0) return
        expect(read(written)).to.deep.equal({
          top: Object.fromEntries(entries.map((entry) => [entry.key, entry.value])),
          end: 1,
        })
      }),
      {numRuns: 300},
    )
  })

  it('holds nothing that acts on a terminal, in values or in comments', () => {
    const written = writeYaml(
      new Block([{key: 'a', value: 'x\u001b[2J\u202e', comment: 'y\u001b[2J'}], ['z\u009b1m']),
      ['h\u001b]0;t\u0007'],
    )

    expect(written).to.not.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  it('looks like what a person writes', () => {
    const guest = new Block(
      [
        {key: 'kind', value: 'lxc'},
        {
          key: 'config',
          value: new Block([
            {key: 'memory', value: '2GiB', comment: 'pending'},
            {key: 'tags', value: ['prod', 'no', '1']},
            {key: 'net0', value: {name: 'eth0', firewall: true}, comment: 'pending'},
            {key: 'description', value: 'Front end\nof the shop: #1\n'},
            {key: 'sshkeys', value: [`ssh-ed25519 ${'A'.repeat(80)}`], comment: 'long'},
          ]),
        },
      ],
      ['cipassword is set'],
    )
    const text = writeYaml(
      new Block([
        {key: 'felhom', value: 1},
        {key: 'guests', isApart: true, value: new Block([{key: 101, value: guest, comment: 'web on pve1'}])},
      ]),
      ['A header'],
    )
    expect(text).to.equal(`# A header
felhom: 1

guests:
  101: # web on pve1
    kind: lxc
    config:
      memory: 2GiB # pending
      tags: [prod, "no", "1"]
      net0: {name: eth0, firewall: true} # pending
      description: |
        Front end
        of the shop: #1
      sshkeys: # long
        - ssh-ed25519 ${'A'.repeat(80)}
    # cipassword is set
`)
  })
})

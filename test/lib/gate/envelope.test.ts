// Envelopes: a closed form that can be read in one way only.
import {expect} from 'chai'
import {decodeEnvelope, encodeEnvelope} from '../../../src/lib/gate/envelope.ts'
import {Malformed} from '../../../src/lib/gate/ssh-wire.ts'

const decode = (text: string | Uint8Array): ReturnType<typeof decodeEnvelope> =>
  decodeEnvelope(typeof text === 'string' ? Buffer.from(text) : text)
const SIGNATURE = '-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n'
const payload = Buffer.from('{"a":"í"}')
const base64 = payload.toString('base64')
const envelope = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({v: 1, payload: base64, signatures: [SIGNATURE], ...fields})

describe('an envelope', () => {
  it('is read back as it was written', () => {
    const text = encodeEnvelope({payload, signatures: [SIGNATURE, SIGNATURE]})
    const read = decode(text)
    expect(Buffer.from(read.payload).equals(payload)).to.equal(true)
    expect(read.signatures).to.deep.equal([SIGNATURE, SIGNATURE])
    expect(text.endsWith('}\n')).to.equal(true)
  })
  it('may have any order and any white space', () => {
    const text = `\n{ "signatures": [\r\n\t${JSON.stringify(SIGNATURE)} ], "payload" : "${base64}", "v": 1 }\n`
    expect(decode(text).signatures).to.deep.equal([SIGNATURE])
  })
  it('without signatures is well-formed: nobody has signed yet', () => {
    expect(decode(envelope({signatures: []})).signatures).to.deep.equal([])
  })
  it('may have 8 signatures and a payload of 16 KiB', () => {
    const full = {
      signatures: Array<string>(8).fill(SIGNATURE),
      payload: Buffer.alloc(16384).toString('base64'),
    }
    expect(decode(envelope(full)).signatures).to.have.length(8)
  })
  const malformed: Record<string, string | Uint8Array> = {
    'with 9 signatures': envelope({signatures: Array<string>(9).fill(SIGNATURE)}),
    'with an unknown field': envelope({extra: 1}),
    'with a payload of 16 KiB and a byte': envelope({payload: Buffer.alloc(16385).toString('base64')}),
    'with an empty payload': envelope({payload: ''}),
    'with a payload that is no text': envelope({payload: 1}),
    'with a payload of base64url': envelope({payload: Buffer.from([0xff, 0xff]).toString('base64url')}),
    'with a payload without padding': envelope({payload: base64.replace(/=+$/, '').slice(0, -1)}),
    'with white space in its payload': envelope({payload: `${base64.slice(0, 4)}\n${base64.slice(4)}`}),
    'with stray bits in its payload': envelope({payload: 'AB=='}),
    'with junk after the padding': envelope({payload: 'AA==AA=='}),
    'of version 2': envelope({v: 2}),
    'of version 1 as text': envelope({v: '1'}),
    'of version 1.0': envelope().replace('"v":1', '"v":1.0'),
    'of version 1e0': envelope().replace('"v":1', '"v":1e0'),
    'of version true': envelope({v: true}),
    'without a version': envelope({v: undefined}),
    'without a payload': envelope({payload: undefined}),
    'without signatures': envelope({signatures: undefined}),
    'with null for signatures': envelope({signatures: null}),
    'with one signature and no list': envelope({signatures: SIGNATURE}),
    'with an object for a list': envelope({signatures: {0: SIGNATURE, length: 1}}),
    'with a signature that is no text': envelope({signatures: [SIGNATURE, 1]}),
    'with a list in its list': envelope({signatures: [[SIGNATURE]]}),
    'with a signature of 9,000 characters': envelope({signatures: ['x'.repeat(9000)]}),
    'with a duplicate key': envelope().replace('{', '{"v":1,'),
    'with a duplicate key, escaped': envelope().replace('{', '{"\\u0076":1,'),
    'with two payloads': envelope().replace('{', '{"payload":"QUFB",'),
    'with an escape that is not needed': envelope().replace('BEGIN', '\\u0042EGIN'),
    'with __proto__': envelope().replace('{', '{"__proto__":{},'),
    'that is a list': `[${envelope()}]`,
    'that is a text': '"x"',
    'that is null': 'null',
    'that is twice': envelope() + envelope(),
    'that is empty': '',
    'that is no JSON': envelope().slice(0, -1),
    'with a mark of the byte order': `\ufeff${envelope()}`,
    'with bad UTF-8': Buffer.concat([Buffer.from(envelope()), Buffer.from([0xff])]),
    'of 1 MiB': envelope() + ' '.repeat(2 ** 20),
    'of 64 KiB and a byte': envelope().padEnd(64 * 1024 + 1),
    'nested 30,000 deep': '['.repeat(30_000) + ']'.repeat(30_000),
    'with signatures nested 30,000 deep': `{"v":1,"payload":"${base64}","signatures":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  }
  for (const [title, text] of Object.entries(malformed)) {
    it(`${title} is malformed`, () => {
      expect(() => decode(text)).to.throw(Malformed)
    })
  }
  it('of 64 KiB is read', () => {
    expect(decode(envelope().padEnd(64 * 1024)).signatures).to.have.length(1)
  })
  it('that could not be read again is not written', () => {
    expect(() => encodeEnvelope({payload: Buffer.alloc(16385), signatures: []})).to.throw(Malformed)
    expect(() => encodeEnvelope({payload, signatures: Array<string>(9).fill(SIGNATURE)})).to.throw(Malformed)
  })
})

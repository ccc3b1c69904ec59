// Steps 3 and 7: what is not of the one form. Payloads are validly signed over the very bytes that are wrong, so that
// nothing but the reading of them can stop them.
import canonicalize from 'canonicalize'
import {expect} from 'chai'
import {forgeKey} from '../../support/forge-keys.ts'
import {anna, GateBench, rita, signer, trustFile, type Fields} from '../../support/gate-bench.ts'
import {wireString} from '../../support/wire-string.ts'
import {armour, forgeSshsig, packSshsig, signFields, type SshsigFields} from '../../support/sshsig-forge.ts'

type Payload = (bench: GateBench) => Buffer | string

const text = (bench: GateBench, change: Fields = {}): string => bench.payload(change).toString()

/** Replaces `from`, which must be there. */
function rewrite(whole: string, from: string, to: string): string {
  if (!whole.includes(from)) throw new Error(`${from} is not in the payload`)
  return whole.replace(from, () => to)
}

const without = (bench: GateBench, field: string): string =>
  canonicalize(Object.fromEntries(Object.entries(bench.fields()).filter(([name]) => name !== field))) ?? ''

const nest = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

const PAYLOADS: Readonly<Record<string, Payload>> = {
  'white space between the values': (bench) => JSON.stringify(JSON.parse(text(bench)), undefined, 1),
  'a newline at the end': (bench) => `${text(bench)}\n`,
  'a space at the beginning': (bench) => ` ${text(bench)}`,
  'keys in another order': (bench) => JSON.stringify(bench.fields()),
  'a duplicate key': (bench) => rewrite(text(bench), '"op":', '"op":"guest.template","op":'),
  'a duplicate key, escaped': (bench) => rewrite(text(bench), '"op":', '"\\u006fp":"guest.template","op":'),
  'an escaped character that needs no escape': (bench) => rewrite(text(bench), '"host":', '"\\u0068ost":'),
  'the number 104.0': (bench) => rewrite(text(bench), '"vmid":104', '"vmid":104.0'),
  'the number 1.04e2': (bench) => rewrite(text(bench), '"vmid":104', '"vmid":1.04e2'),
  'a fraction': (bench) => rewrite(text(bench), '"vmid":104', '"vmid":104.5'),
  'the number 2^53 + 1': (bench) => rewrite(text(bench), '"trust":1', '"trust":9007199254740993'),
  'the number 2^53': (bench) => rewrite(text(bench), '"trust":1', '"trust":9007199254740992'),
  'the number -0': (bench) => rewrite(text(bench), '"trust":1', '"trust":-0'),
  'a negative version of the trust store': (bench) => text(bench, {trust: -1}),
  'the key __proto__': (bench) => rewrite(text(bench), '"purge":true', '"__proto__":{"a":1},"purge":true'),
  'the key constructor': (bench) => text(bench, {params: {constructor: true, purge: true}}),
  'the key prototype': (bench) => text(bench, {params: {prototype: true, purge: true}}),
  'the key toJSON': (bench) => rewrite(text(bench), '"purge":true', '"purge":true,"toJSON":1'),
  'a text that is not in normal form (NFD)': (bench) => text(bench, {reason: 'cafe\u0301'}),
  'half a surrogate pair, escaped': (bench) => rewrite(text(bench, {reason: 'REASON'}), 'REASON', '\\ud800'),
  'half a surrogate pair, as bytes': (bench) =>
    replaceBytes(text(bench, {reason: 'REASON'}), [0xed, 0xa0, 0x80]),
  'a bidi override': (bench) => text(bench, {reason: 'left \u202E right'}),
  'a bidi isolate': (bench) => text(bench, {reason: 'left \u2066 right'}),
  'a zero-width space': (bench) => text(bench, {reason: 'in\u200Bvisible'}),
  'a byte order mark inside': (bench) => text(bench, {reason: 'in\uFEFFvisible'}),
  'a control character': (bench) => text(bench, {reason: 'line\nbreak'}),
  'an escape sequence of a terminal': (bench) => text(bench, {reason: '\u001b[2J'}),
  'a C1 control character': (bench) => text(bench, {reason: '\u009b2J'}),
  'a line separator': (bench) => text(bench, {reason: 'line\u2028break'}),
  'bytes that are not UTF-8': (bench) => replaceBytes(text(bench, {reason: 'REASON'}), [0xff]),
  'an overlong encoding': (bench) => replaceBytes(text(bench, {reason: 'REASON'}), [0xc0, 0xaf]),
  'a byte order mark in front': (bench) => `\uFEFF${text(bench)}`,
  'UTF-16': (bench) => Buffer.from(text(bench), 'utf16le'),
  'an unknown field': (bench) => text(bench, {note: 'x'}),
  'an unknown field in the target': (bench) => text(bench, {target: {...bench.bound().target, name: 'x'}}),
  'a field too few': (bench) => without(bench, 'reason'),
  'nesting of 5,000': (bench) => rewrite(text(bench), '"purge":true', `"purge":${nest(5000)}`),
  'nesting of 9': (bench) => rewrite(text(bench), '"purge":true', `"purge":${nest(9)}`),
  'more than 512 values': (bench) => text(bench, {params: {list: Array.from({length: 600}, () => 1)}}),
  'another type': (bench) => text(bench, {type: 'felhom.op.v2'}),
  'the type of a trust file': (bench) => text(bench, {type: 'felhom.trust.v1'}),
  'no type': (bench) => without(bench, 'type'),
  'an operation that cannot be signed for': (bench) => text(bench, {op: 'guest.start'}),
  'a payload of 17 KiB': (bench) =>
    text(bench, {params: {list: Array.from({length: 17}, () => 'x'.repeat(1024))}}),
  'a time with an offset': (bench) => text(bench, {iat: '2026-11-18T13:59:00+02:00'}),
  'a time without its zone': (bench) => text(bench, {iat: '2026-11-18T11:59:00'}),
  'a time with milliseconds': (bench) => text(bench, {iat: '2026-11-18T11:59:00.000Z'}),
  'a time in small letters': (bench) => text(bench, {iat: '2026-11-18t11:59:00z'}),
  'a time as a number': (bench) => text(bench, {iat: 1_795_000_000}),
  'the 30th of February': (bench) => text(bench, {exp: '2027-02-30T12:00:00Z'}),
  'the hour 24': (bench) => text(bench, {exp: '2026-11-18T24:00:00Z'}),
  'a leap second': (bench) => text(bench, {exp: '2026-12-31T23:59:60Z'}),
  'a time not before which it counts, as null': (bench) => text(bench, {nbf: null}),
  'a nonce that is too short': (bench) => text(bench, {nonce: 'AAAA'}),
  'a nonce with padding': (bench) => text(bench, {nonce: `${'A'.repeat(22)}==`}),
  'a nonce with spare bits set': (bench) => text(bench, {nonce: `${'A'.repeat(21)}B`}),
  'a nonce of another alphabet': (bench) => text(bench, {nonce: `+/${'A'.repeat(20)}`}),
  'a digest in capitals': (bench) => text(bench, {observed: bench.observed().toUpperCase()}),
  'a digest of another hash': (bench) => text(bench, {observed: `sha512:${'0'.repeat(64)}`}),
  'params that are a list': (bench) => text(bench, {params: []}),
  'params that are null': (bench) => text(bench, {params: null}),
  'a reason that is a number': (bench) => text(bench, {reason: 1}),
  'an array': () => '[]',
  'a plain text': () => '"guest.destroy"',
  null: () => 'null',
  'no JSON': () => 'destroy 104',
}

function replaceBytes(whole: string, bytes: readonly number[]): Buffer {
  const [before = '', after = ''] = whole.split('REASON')
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
}

describe('malformed: a payload, validly signed', () => {
  for (const [name, make] of Object.entries(PAYLOADS)) {
    it(name, async () => {
      const bench = await GateBench.open()
      expect(await bench.decide({payload: Buffer.from(make(bench))})).to.equal('malformed')
    })
  }
})

describe('malformed: a signature', () => {
  const altered = async (fields: Partial<SshsigFields>, key = anna): Promise<string> => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    return bench.decide({payload, signatures: [forgeSshsig(key, payload, {}, fields)]})
  }
  const rewritten = async (change: (armoured: string) => string): Promise<string> => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    return bench.decide({payload, signatures: [change(forgeSshsig(anna, payload))]})
  }
  const FRAMES: Readonly<Record<string, Partial<SshsigFields>>> = {
    'of version 0': {version: 0},
    'of version 2': {version: 2},
    'with a non-empty reserved field': {reserved: 'x'},
    'with a NUL in its namespace': {namespace: 'felhom-op-v1@felhom\0'},
    'with a trailing byte': {trailing: Buffer.from([0])},
    'with the hash sha384': {hash: 'sha384'},
    'with an extra string in the key': {key: Buffer.concat([anna.blob, wireString('more')])},
    'with a key of 33 bytes': {
      key: Buffer.concat([wireString('ssh-ed25519'), wireString(Buffer.alloc(33, 1))]),
    },
    'with a certificate': {
      key: Buffer.concat([wireString('ssh-ed25519-cert-v01@openssh.com'), anna.blob.subarray(15)]),
    },
    'with another magic': {magic: 'SSHSIX'},
  }
  for (const [name, fields] of Object.entries(FRAMES)) {
    it(name, async () => {
      expect(await altered(fields)).to.equal('malformed')
    })
  }

  const ARMOURS: Readonly<Record<string, (armoured: string) => string>> = {
    'with text after its END line': (armoured) => `${armoured}text`,
    'with text before its BEGIN line': (armoured) => `text\n${armoured}`,
    'with CRLF': (armoured) => armoured.replaceAll('\n', '\r\n'),
    'with junk in its base64': (armoured) => armoured.replace(/\n(.{10})/, '\n$1*'),
    'in lines of another length': (armoured) =>
      armour(Buffer.from(armoured.split('\n').slice(1, -2).join(''), 'base64'), 64),
    'that is empty': () => '',
    'that is twice there': (armoured) => armoured + armoured,
  }
  for (const [name, change] of Object.entries(ARMOURS)) {
    it(name, async () => {
      expect(await rewritten(change)).to.equal('malformed')
    })
  }

  const byKey = async (
    key: ReturnType<typeof forgeKey>,
    make: (payload: Buffer) => string,
  ): Promise<string> => {
    const signers = [signer('olga', key), signer('rita', rita, 'recovery')]
    const bench = await GateBench.open({trust: [trustFile({signers}, [key, rita])]})
    const payload = bench.payload()
    return bench.decide({payload, signatures: [make(payload)]})
  }

  it('of RSA with SHA-1', async () => {
    const key = forgeKey('rsa', 'of a kind')
    expect(await byKey(key, (payload) => forgeSshsig(key, payload, {algorithm: 'ssh-rsa'}))).to.equal(
      'malformed',
    )
  })

  it('of ECDSA without its algorithm', async () => {
    const key = forgeKey('ecdsa-256', 'of a kind')
    const make = (payload: Buffer): string => {
      const fields = signFields(key, payload)
      return armour(packSshsig({...fields, signature: fields.signature.subarray(4 + key.algorithm.length)}))
    }
    expect(await byKey(key, make)).to.equal('malformed')
  })

  it('of a security key in the form of a web browser', async () => {
    const key = forgeKey('sk-ecdsa', 'of a kind')
    const algorithm = 'webauthn-sk-ecdsa-sha2-nistp256@openssh.com'
    expect(await byKey(key, (payload) => forgeSshsig(key, payload, {algorithm}))).to.equal('malformed')
  })

  it('beside one that is good', async () => {
    const bench = await GateBench.open()
    const payload = bench.payload()
    const signatures = [forgeSshsig(anna, payload), 'not a signature']
    expect(await bench.decide({payload, signatures})).to.equal('malformed')
  })
})

describe('malformed: an envelope', () => {
  const envelope = async (
    change: (parts: Record<string, unknown>, bench: GateBench) => unknown,
  ): Promise<string> => {
    const bench = await GateBench.open()
    const parts = JSON.parse(bench.seal().toString()) as Record<string, unknown>
    const made = change(parts, bench)
    return bench.decide(Buffer.from(typeof made === 'string' ? made : JSON.stringify(made)))
  }
  const ENVELOPES: Readonly<Record<string, Parameters<typeof envelope>[0]>> = {
    'of 1 MiB': (parts) => ({
      ...parts,
      signatures: [`${String((parts['signatures'] as string[])[0])}${' '.repeat(2 ** 20)}`],
    }),
    'of 1 MiB of white space': (parts) => JSON.stringify(parts) + ' '.repeat(2 ** 20),
    'with 9 signatures': (parts) => ({
      ...parts,
      signatures: Array.from({length: 9}, () => (parts['signatures'] as string[])[0]),
    }),
    'of another version': (parts) => ({...parts, v: 2}),
    'without a version': ({payload, signatures}) => ({payload, signatures}),
    'with an unknown field': (parts) => ({...parts, note: 'x'}),
    'without a payload': ({v, signatures}) => ({v, signatures}),
    'with an empty payload': (parts) => ({...parts, payload: ''}),
    'with a payload in base64url': (parts) => ({
      ...parts,
      payload: `${String(parts['payload']).slice(0, -4)}-_-_`,
    }),
    'with a payload that has white space': (parts) => ({...parts, payload: `${String(parts['payload'])}\n`}),
    'with a duplicate key': (parts) => JSON.stringify(parts).replace('{', '{"v":2,'),
    'with signatures that are no list': (parts) => ({
      ...parts,
      signatures: (parts['signatures'] as string[])[0],
    }),
    'with a signature that is no text': (parts) => ({...parts, signatures: [1]}),
    'that is a list': (parts) => [parts],
    'that is no JSON': () => 'approved',
    'that is empty': () => '',
  }
  for (const [name, change] of Object.entries(ENVELOPES)) {
    it(name, async () => {
      expect(await envelope(change)).to.equal('malformed')
    })
  }

  it('with 8 signatures is well-formed', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide({keys: Array.from({length: 8}, () => anna)})).to.equal('allow')
  })
})

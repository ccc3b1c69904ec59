import {expect} from 'chai'
import {makePalette} from '../../../src/lib/report/palette.ts'
import {
  renderHistory,
  renderPin,
  renderProposal,
  renderTrust,
  type SignerView,
  type TrustView,
} from '../../../src/lib/report/trust-text.ts'

const palette = makePalette(false)
const HASH = `sha256:${'a'.repeat(64)}`

const signer = (principal: string, more: Partial<SignerView> = {}): SignerView => ({
  principal,
  role: 'operational',
  type: 'ssh-ed25519',
  fingerprint: `SHA256:${principal}`,
  notBefore: null,
  notAfter: null,
  isValidNow: true,
  requireUv: false,
  application: null,
  ...more,
})

const trust: TrustView = {
  version: 2,
  hash: HASH,
  expires: '2027-01-01T00:00:00Z',
  isExpired: false,
  thresholds: {default: 1, 'guest.destroy': 2, recovery: 1},
  people: {operational: 2, recovery: 1},
  signers: [
    signer('alice', {notAfter: '2026-01-01T00:00:00Z', isValidNow: false}),
    signer('bob', {type: 'sk-ssh-ed25519@openssh.com', requireUv: true, application: 'ssh:felhom'}),
    signer('safe', {role: 'recovery'}),
  ],
  revoked: ['SHA256:lost'],
}

describe('the trust store in words', () => {
  it('says who may sign, how many it takes, until when, and what is revoked', () => {
    expect(renderTrust(trust, palette, 100).split('\n')).to.deep.equal([
      'version     2',
      `hash        ${HASH}`,
      'expires     2027-01-01T00:00:00Z',
      'people      2 operational, 1 recovery',
      'thresholds  default 1, guest.destroy 2, recovery 1',
      '',
      'PERSON  ROLE         TYPE                        REMARKS',
      '  FINGERPRINT',
      'alice   operational  ssh-ed25519                 not valid now, until 2026-01-01T00:00:00Z',
      '  SHA256:alice',
      'bob     operational  sk-ssh-ed25519@openssh.com  PIN, ssh:felhom',
      '  SHA256:bob',
      'safe    recovery     ssh-ed25519                 -',
      '  SHA256:safe',
      '',
      'Revoked:',
      '  SHA256:lost',
    ])
  })

  it('says that it has expired', () => {
    expect(renderTrust({...trust, isExpired: true}, palette, 100)).to.match(
      /^expired +2027-01-01T00:00:00Z$/m,
    )
  })

  it('says what a proposed version waits for, and how to sign it', () => {
    const proposal = {version: 2, hash: HASH, signed: [], wanting: ['a signature with the key of bob']}
    expect(
      renderProposal({...proposal, inForce: false, file: '/t/2.proposal.json'}, palette, 100).split('\n'),
    ).to.deep.equal([
      'Version 2 of the trust store waits for signatures.',
      'Nobody has signed it yet.',
      '',
      'It takes:',
      '  - a signature with the key of bob',
      '',
      'Sign here:',
      '  felhom gate trust rotate --key KEY',
      'Or elsewhere, over a copy of the file, and bring the signature back:',
      '  ssh-keygen -Y sign -f KEY -n felhom-trust-v1@felhom /t/2.proposal.json',
      '  felhom gate trust rotate --signature /t/2.proposal.json.sig',
    ])
  })

  it('says that a version is in force, and what that ends', () => {
    const signed = [{principal: 'alice', role: 'operational' as const, fingerprint: 'SHA256:alice'}]
    const first = {version: 1, hash: HASH, signed, wanting: [], inForce: true as const}
    expect(renderProposal(first, palette, 100)).to.equal(
      'Version 1 of the trust store is in force.\nSigned by alice (operational).',
    )
    expect(renderProposal({...first, version: 2}, palette, 100)).to.match(/signed before it count no more/)
    expect(renderPin({dir: '/t', hash: HASH})).to.match(/trust:\n {2}dir: \/t\n {2}genesis:\n {4}sha256:a+$/)
  })

  it('tells its history, and why it is not believed', () => {
    const versions = [{version: 1, hash: HASH, by: 'everybody', signed: [signer('alice'), signer('alice')]}]
    expect(renderHistory({versions, problem: null}, palette, 80).split('\n')).to.deep.equal([
      'VERSION  BY         SIGNED',
      '  HASH',
      '1        everybody  alice',
      `  ${HASH}`,
      '',
      '1 version, valid from the pinned first one on.',
    ])
    const problem = {kind: 'unsafe', message: 'others may change \u001b[31mit'}
    expect(renderHistory({versions: [], problem}, palette, 100)).to.equal(
      String.raw`NOT VALID  others may change \x1b[31mit.`,
    )
  })
})

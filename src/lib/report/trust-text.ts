// The trust store in words: who may sign, how many of them it takes, until when; and what waits for signatures.
import {escapeText} from './escape-text.ts'
import {renderFacts, type Fact} from './fact-lines.ts'
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'
import {renderFitting, wrapText} from './text-table.ts'

export interface SignerView {
  readonly principal: string
  readonly role: 'operational' | 'recovery'
  readonly type: string
  readonly fingerprint: string
  readonly notBefore: string | null
  readonly notAfter: string | null
  readonly isValidNow: boolean
  readonly requireUv: boolean
  readonly application: string | null
}

export interface TrustView {
  readonly version: number
  readonly hash: string
  readonly expires: string
  readonly isExpired: boolean
  readonly thresholds: Readonly<Record<string, number>>
  readonly people: Readonly<Record<'operational' | 'recovery', number>>
  readonly signers: readonly SignerView[]
  readonly revoked: readonly string[]
}

export interface SignedView {
  readonly version: number
  readonly hash: string
  readonly signed: readonly Pick<SignerView, 'principal' | 'role' | 'fingerprint'>[]
  /** One phrase each; none: nothing is wanting. */
  readonly wanting: readonly string[]
}

/** A version that was proposed: in force now, or waiting for signatures over `file`. */
export type ProposalView = SignedView &
  ({readonly inForce: true} | {readonly inForce: false; readonly file: string})

export function renderTrust(trust: TrustView, palette: Palette, width: number): string {
  const fact = (label: string, text: string, paint?: Fact['paint']): Fact => ({
    label,
    text,
    ...(paint && {paint}),
  })
  const {isExpired, expires, people, version, hash} = trust
  const facts = [
    fact('version', String(version)),
    fact('hash', hash),
    isExpired ? fact('expired', expires, palette.bad) : fact('expires', expires),
    fact('people', `${people.operational} operational, ${people.recovery} recovery`),
    fact('thresholds', describeThresholds(trust.thresholds)),
  ]
  const revoked = trust.revoked.map((fingerprint) => `  ${fingerprint}`)
  return [
    ...renderFacts(facts, {palette, width}),
    '',
    ...renderSigners(trust.signers, palette, width),
    ...(revoked.length > 0 ? ['', 'Revoked:', ...revoked] : []),
  ].join('\n')
}

const describeThresholds = (thresholds: Readonly<Record<string, number>>): string =>
  Object.entries(thresholds)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')

function renderSigners(signers: readonly SignerView[], palette: Palette, width: number): string[] {
  const head = ['PERSON', 'ROLE', 'TYPE', 'REMARKS', 'FINGERPRINT'].map((text) => ({
    text,
    paint: palette.dim,
  }))
  const rows = signers.map((signer) => [
    {text: signer.principal},
    {text: signer.role},
    {text: signer.type},
    {text: describeRemarks(signer) || '-', ...(!signer.isValidNow && {paint: palette.warn})},
    {text: signer.fingerprint},
  ])
  return renderFitting([head, ...rows], {width, below: head.length - 1, indent: '  '})
}

function describeRemarks({notBefore, notAfter, isValidNow, requireUv, application}: SignerView): string {
  const remarks = [
    ...(isValidNow ? [] : ['not valid now']),
    ...(notBefore === null ? [] : [`from ${notBefore}`]),
    ...(notAfter === null ? [] : [`until ${notAfter}`]),
    ...(requireUv ? ['PIN'] : []),
    ...(application === null || application === 'ssh:' ? [] : [application]),
  ]
  return remarks.join(', ')
}

export function renderProposal(proposal: ProposalView, palette: Palette, width: number): string {
  const {version, signed, wanting} = proposal
  const by = signed.map(({principal, role}) => `${principal} (${role})`).join(', ')
  const signers = signed.length === 0 ? 'Nobody has signed it yet.' : `Signed by ${by}.`
  if (proposal.inForce)
    return [
      palette.good(`Version ${version} of the trust store is in force.`),
      wrapText(signers, width),
      ...(version > 1 ? ['Approvals that were signed before it count no more.'] : []),
    ].join('\n')
  return [
    palette.warn(`Version ${version} of the trust store waits for signatures.`),
    wrapText(signers, width),
    '',
    'It takes:',
    ...wanting.map((phrase) => `  - ${wrapText(escapeText(phrase), width, '    ').trimStart()}`),
    '',
    ...describeSigning(proposal.file, version),
  ].join('\n')
}

function describeSigning(file: string, version: number): string[] {
  const command = version === 1 ? 'init' : 'rotate'
  const path = escapeText(file)
  return [
    'Sign here:',
    `  felhom gate trust ${command} --key KEY`,
    'Or elsewhere, over a copy of the file, and bring the signature back:',
    `  ssh-keygen -Y sign -f KEY -n felhom-trust-v1@felhom ${path}`,
    `  felhom gate trust ${command} --signature ${path}.sig`,
  ]
}

export interface TrustHistoryView {
  readonly versions: readonly (Omit<SignedView, 'wanting'> & {readonly by: string})[]
  /** Why the gate does not believe it. */
  readonly problem: {readonly kind: string; readonly message: string} | null
}

export function renderHistory(
  {versions, problem}: TrustHistoryView,
  palette: Palette,
  width: number,
): string {
  const head = ['VERSION', 'BY', 'SIGNED', 'HASH'].map((text) => ({text, paint: palette.dim}))
  const rows = versions.map(({version, hash, by, signed}) => [
    {text: String(version)},
    {text: by},
    {text: [...new Set(signed.map(({principal}) => principal))].join(', ')},
    {text: hash},
  ])
  const verdict = problem
    ? wrapText(`${palette.bad('NOT VALID')}  ${escapeText(problem.message)}.`, width)
    : palette.good(`${plural(versions.length, 'version')}, valid from the pinned first one on.`)
  return [
    ...(rows.length > 0
      ? [...renderFitting([head, ...rows], {width, below: head.length - 1, indent: '  '}), '']
      : []),
    verdict,
  ].join('\n')
}

/** What pins the first version: without these lines nobody's signature counts. */
export const renderPin = ({dir, hash}: {readonly dir: string; readonly hash: string}): string =>
  [
    'Write this into felhom.yaml on every machine that runs felhom:',
    '',
    'trust:',
    `  dir: ${escapeText(dir)}`,
    '  genesis:',
    `    ${hash}`,
  ].join('\n')

// The first version of the trust store: everybody in it signs it, and its hash is what the settings pin.
import {existsSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {encodeTrust, type ThresholdName} from '../../gate/trust-document.ts'
import {encodeTrustSignatures} from '../../gate/trust-signatures.ts'
import {FelhomError} from '../../model/felhom-error.ts'
import {TrustFiles} from '../../store/trust-files.ts'
import {chooseKeys} from './gate-trust-at-hand.ts'
import {collectSignatures, type Collecting} from './gate-trust-collect.ts'
import {readNamedKey, type KeyChoice, type NamedKey} from './gate-trust-key.ts'
import type {ProposalView} from './gate-trust-view.ts'

export interface TrustInit extends Collecting, KeyChoice {
  readonly dir: string
  /** `name=KEY.pub` or `KEY.pub`; with neither role named, what was begun is gone on with. */
  readonly operational: readonly string[]
  readonly recovery: readonly string[]
  readonly thresholds: Readonly<Partial<Record<ThresholdName, number>>>
  readonly expiresMs: number
  /** Sign with the keys whose private halves are here. */
  readonly signAtHand: boolean
  readonly discard: boolean
  readonly env: NodeJS.ProcessEnv
}

export async function initTrust(init: TrustInit): Promise<ProposalView & {readonly dir: string}> {
  const dir = resolve(init.cwd, init.dir)
  const files = new TrustFiles(dir)
  if (existsSync(join(dir, '1.json')))
    throw usage(`there is a trust store in ${dir} already`, 'Change it with: felhom gate trust rotate')
  if (init.discard) files.dropProposal(1)
  const named = readKeys(init)
  const open = files.readProposal(1)
  if (open && named.length > 0)
    throw usage(
      `version 1 is proposed already, in ${open.file}`,
      'Go on with --key or --signature alone, or begin anew with --discard.',
    )
  if (!open && named.length === 0)
    throw usage('no keys are named', 'Name them with --operational KEY.pub and --recovery KEY.pub.')
  const version = open ?? {version: 1, bytes: draft(named, init), signatures: encodeTrustSignatures([])}
  const keys = await chooseKeys(named, init)
  return {...(await collectSignatures({files, head: undefined, version}, {...init, keys})), dir}
}

function readKeys(init: TrustInit): NamedKey[] {
  return [
    ...init.operational.map((text) => readNamedKey(text, 'operational', init)),
    ...init.recovery.map((text) => readNamedKey(text, 'recovery', init)),
  ]
}

const draft = (named: readonly NamedKey[], {thresholds, expiresMs}: TrustInit): Buffer =>
  encodeTrust({
    version: 1,
    prev: undefined,
    expiresMs,
    thresholds: {default: 1, recovery: 1, ...thresholds},
    revoked: [],
    signers: named.map(({entry}) => entry),
  })

const usage = (message: string, hint: string): FelhomError =>
  new FelhomError('usage', message, {hint, doubt: 'Nothing was signed and nothing was written.'})

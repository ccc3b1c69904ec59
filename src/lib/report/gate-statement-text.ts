// An approval as its own bytes tell it: nothing here comes from Proxmox, from the files or from the trust store, so
// that whoever signs sees what the signature will be over.
import type {CanonicalValue, Statement} from '../model/approval.ts'
import {renderFacts, type Fact} from './fact-lines.ts'
import {showTime} from './journal-times.ts'
import type {Palette} from './palette.ts'
import {renderColumns, type Cell} from './text-table.ts'

export interface StatementView {
  readonly statement: Statement
  /** `sha256:` of the exact bytes. */
  readonly digest: string
  readonly signatures: readonly {
    readonly fingerprint: string | null
    readonly holds: boolean
    readonly problem: string | null
  }[]
}

export function renderStatement(
  {statement, digest, signatures}: StatementView,
  {palette, width}: {readonly palette: Palette; readonly width: number},
): string {
  const {op, target, params, host, trust, reason, iatMs, expMs, nbfMs, action, observed, nonce} = statement
  const fact = (label: string, text: string, paint?: Fact['paint']): Fact => ({
    label,
    text,
    ...(paint && {paint}),
  })
  const guest = `${target.kind}/${target.vmid} on ${target.node}`
  const facts = [
    fact('operation', op, palette.strong),
    fact('guest', guest, palette.strong),
    fact('parameters', describeParams(params)),
    fact('reason', reason === '' ? '-' : reason),
    fact('issued', showTime(iatMs)),
    ...(nbfMs === undefined ? [] : [fact('not before', showTime(nbfMs))]),
    fact('expires', showTime(expMs)),
    fact('installation', host),
    fact('trust', `version ${trust}`),
    fact('nonce', nonce),
    fact('identity', target.identity),
    fact('action', action),
    fact('observed', observed),
    fact('statement', digest),
  ]
  const lines = renderFacts(facts, {palette, width, indent: '  '})
  return [...lines, '', ...renderSignatures(signatures, palette)].join('\n')
}

const describeParams = (params: Readonly<Record<string, CanonicalValue>>): string =>
  Object.entries(params)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ') || '-'

function renderSignatures(signatures: StatementView['signatures'], palette: Palette): string[] {
  if (signatures.length === 0) return ['  Nobody has signed it.']
  return renderColumns(
    signatures.map(({fingerprint, problem}): Cell[] =>
      problem === null
        ? [
            {text: '  signed by', paint: palette.dim},
            {text: fingerprint ?? ''},
            {text: 'it holds', paint: palette.good},
          ]
        : [
            {text: '  signature', paint: palette.dim},
            {text: problem, paint: palette.bad},
          ],
    ),
  )
}

/** For --json: as it is signed, field by field. */
export function encodeStatementView(view: StatementView & {readonly file?: string | undefined}): unknown {
  const {statement, digest, signatures, file} = view
  const {iatMs, expMs, nbfMs, ...rest} = statement
  return {
    file: file ?? null,
    digest,
    statement: {
      ...rest,
      iat: showTime(iatMs),
      exp: showTime(expMs),
      ...(nbfMs === undefined ? {} : {nbf: showTime(nbfMs)}),
    },
    signatures,
  }
}

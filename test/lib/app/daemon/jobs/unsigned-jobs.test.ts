// Jobs that nobody has signed, for all that there is: whatever they ask for, nothing is sent.
import canonicalize from 'canonicalize'
import {expect} from 'chai'
import {requireSignature} from '../../../../../src/lib/app/daemon/jobs/signed-only-gate.ts'
import {listFamilies} from '../../../../../src/lib/catalog/option.ts'
import {bindAction} from '../../../../../src/lib/gate/bind-action.ts'
import {actionDigest, identityDigest} from '../../../../../src/lib/gate/digests.ts'
import type {GateRequest, Inspection, Verdict} from '../../../../../src/lib/gate/gate.ts'
import type {ActualGuest} from '../../../../../src/lib/model/actual.ts'
import type {ClaimedTarget} from '../../../../../src/lib/model/approval.ts'
import {identifyGuest} from '../../../../../src/lib/model/identity.ts'
import type {CarriedEnvelope} from '../../../../../src/lib/source/source.ts'
import {HOUR_MS, showTime} from '../../../../support/gate-bench.ts'
import {PassBench} from '../../../../support/pass-bench.ts'

const OPERATIONS = [
  ...['guest.destroy', 'snapshot.delete', 'snapshot.rollback', 'volume.detach', 'volume.remove'],
  ...['guest.unprotect', 'guest.template', 'guest.change', 'storage.wipe'],
]

interface Claim {
  readonly op: string
  readonly params: object
  readonly target: ClaimedTarget
}

class Forger {
  #forged = 0
  readonly #bench: PassBench

  constructor(bench: PassBench) {
    this.#bench = bench
  }

  /** All is as it should be, except that nobody has signed. */
  forge(claim: Claim): CarriedEnvelope {
    const nonce = Buffer.alloc(16)
    nonce.writeUInt32BE(++this.#forged)
    const nowMs = this.#bench.clock.now()
    const payload = Buffer.from(
      canonicalize({
        ...claim,
        type: 'felhom.op.v1',
        host: this.#bench.host,
        action: actionDigest(claim as unknown as Parameters<typeof actionDigest>[0]),
        observed: `sha256:${'0'.repeat(64)}`,
        nonce: nonce.toString('base64url'),
        iat: showTime(nowMs - 1000),
        exp: showTime(nowMs + HOUR_MS),
        trust: 1,
        reason: '',
      }) ?? '',
    )
    const text = JSON.stringify({v: 1, payload: payload.toString('base64'), signatures: []})
    return {name: `${this.#forged}.json`, bytes: Buffer.from(text)}
  }
}

function claimsAbout(guest: ActualGuest): Claim[] {
  const {kind, node, vmid, config} = guest
  if (!config.known) return []
  const target = {kind, node, vmid, identity: identityDigest(identifyGuest(guest, config.current))}
  const options = new Set([...Object.keys(config.current), ...listFamilies(kind).map(({name}) => name)])
  const about = [...options].flatMap((option) => {
    const change = {option, before: config.current[option], after: undefined}
    const bound = bindAction({type: 'set-config', changes: [change]} as never, guest, guest)
    const volume = 'unsupported' in bound ? 'local:x' : (bound.params['volume'] ?? 'local:x')
    return OPERATIONS.map((op) => ({op, params: {option, volume}, target}))
  })
  const others = [{purge: true}, {snapshot: 'before-upgrade'}, {}].flatMap((params) =>
    OPERATIONS.map((op) => ({op, params, target})),
  )
  return [...about, ...others]
}

describe('a job that nobody has signed', () => {
  for (const mode of ['benign', 'full'] as const)
    it(`sends nothing, whatever its operation and its option, in mode ${mode}`, async () => {
      const bench = await PassBench.make({mode})
      bench.desired = undefined
      const forger = new Forger(bench)
      const {guests} = await bench.bench.read()
      const claims = [101, 200].flatMap((vmid) =>
        guests.filter((guest) => guest.vmid === vmid).flatMap(claimsAbout),
      )
      expect(claims.length).to.be.greaterThan(900)
      bench.jobs = claims.map((claim) => forger.forge(claim))
      const report = await bench.pass()
      expect(report.problem).to.equal(undefined)
      expect(report.jobs).to.have.length(claims.length)
      expect(bench.sent()).to.deep.equal([])
      const outcomes = new Set(report.jobs.map(({outcome}) => outcome))
      expect([...outcomes]).to.deep.equal(['refused'])
    })
})

describe('the gate as a signed job meets it', () => {
  const request = (type: string): GateRequest => ({action: {type}}) as unknown as GateRequest
  const NONCE = 'own'

  /** What it would say, and how often it was really asked. */
  function scripted(inspection: object, authorized: object): {asked: string[]; gate: never} {
    const asked: string[] = []
    const gate = {
      inspect: () => Promise.resolve(inspection as Inspection),
      preview: () => Promise.resolve(undefined),
      authorize: ({action}: GateRequest) => {
        asked.push(action.type)
        return Promise.resolve({allowed: true, authorized} as unknown as Verdict)
      },
    }
    return {asked, gate: gate as never}
  }
  const signedBy = (nonce: string): object => ({class: 'destructive', approved: {statement: {nonce}}})

  it('lets pass what its own signature allows, and the shutdown before it', async () => {
    const {gate} = scripted(signedBy(NONCE), {class: 'destructive', key: NONCE})
    const own = requireSignature(gate, NONCE)
    expect((await own.authorize(request('shutdown'))).allowed).to.equal(false)
    expect(await own.preview(request('destroy'))).to.equal(undefined)
    expect((await own.authorize(request('shutdown'))).allowed).to.equal(true)
    expect((await own.authorize(request('destroy'))).allowed).to.equal(true)
  })

  it('refuses what needs no signature, be it of our own making, and what another approval allows', async () => {
    for (const inspection of [{class: 'benign'}, signedBy('another')]) {
      const {asked, gate} = scripted(inspection, {class: 'benign'})
      const own = requireSignature(gate, NONCE)
      expect((await own.preview(request('destroy')))?.code).to.equal('pending_signature')
      for (const type of ['shutdown', 'destroy'])
        expect((await own.authorize(request(type))).allowed, type).to.equal(false)
      expect(asked).to.deep.equal([])
    }
  })

  it('does not take a yes for less, or for another, than was looked at', async () => {
    for (const authorized of [{class: 'benign'}, {class: 'destructive', key: 'another'}]) {
      const own = requireSignature(scripted(signedBy(NONCE), authorized).gate, NONCE)
      expect((await own.authorize(request('destroy'))).allowed).to.equal(false)
    }
  })
})

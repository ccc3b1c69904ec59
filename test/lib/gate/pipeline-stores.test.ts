// Steps 10, 14 and 15 on the real logs: an approval is used once, across whatever happens, and what cannot be kept is
// not allowed.
import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {openJournal} from '../../../src/lib/store/open-journal.ts'
import {openNonces} from '../../../src/lib/store/nonces/open-nonces.ts'
import {annaToo, bert, DAY_MS, GateBench, stranger, word} from '../../support/gate-bench.ts'
import type {DiskCall} from '../../../src/lib/testing/memory-disk.ts'
import {rejection} from '../../support/reject.ts'

const isOf = (log: string, {path}: DiskCall): boolean => path.includes(`/${log}/`)

describe('replay', () => {
  it('in the same process', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    expect(await bench.decide(envelope)).to.equal('allow')
    expect(await bench.decide(envelope)).to.equal('replay')
  })

  it('across a restart', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    expect(await bench.decide(envelope)).to.equal('allow')
    bench.machine.losePower()
    await bench.restart()
    expect(await bench.decide(envelope)).to.equal('replay')
  })

  it('signed again with the same nonce, by another key and with another reason', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    expect(await bench.decide({payload: bench.payload({nonce})})).to.equal('allow')
    expect(await bench.decide({payload: bench.payload({nonce}), keys: [annaToo]})).to.equal('replay')
    expect(await bench.decide({payload: bench.payload({nonce, reason: 'again'}), keys: [bert]})).to.equal(
      'replay',
    )
  })

  it('after a purge within retention', async () => {
    const bench = await GateBench.open()
    const fields = bench.fields()
    expect(await bench.decide({payload: bench.payload(fields)})).to.equal('allow')
    bench.nowMs += 6 * DAY_MS
    await bench.nonces.advance({clockMs: bench.nowMs})
    await bench.nonces.compact()
    await bench.restart()
    const {nonce} = fields
    expect(await bench.decide({payload: bench.payload({nonce})})).to.equal('replay')
  })

  it('after a purge beyond retention, by an approval that claims to be of that time', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    expect(await bench.decide(envelope)).to.equal('allow')
    bench.nowMs += 30 * DAY_MS
    await bench.nonces.advance({clockMs: bench.nowMs})
    await bench.nonces.compact()
    await bench.restart()
    expect(await bench.decide(envelope)).to.equal('expired')
  })

  it('after the journal was compacted', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    expect(await bench.decide(envelope)).to.equal('allow')
    await bench.restart()
    const journal = await openJournal({
      disk: bench.machine.mount(),
      dir: '/state',
      identity: {endpoint: 'https://pve1:8006', tokenId: 'root@pam!felhom'},
      clock: {now: () => bench.nowMs + 400 * DAY_MS},
      warn: () => undefined,
    })
    await journal.compact({olderThanMs: 0, rotate: true})
    await journal.close()
    await bench.restart()
    expect(await bench.decide(envelope)).to.equal('replay')
  })

  it('an approval that the operator has rejected', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    await bench.nonces.reject(nonce, {statement: 'sha256:x', expMs: bench.nowMs + DAY_MS, reason: 'no'})
    expect(await bench.decide({payload: bench.payload({nonce})})).to.equal('replay')
  })

  it('two lanes at once: one is allowed', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal())
    const words = await Promise.all([bench.ask(), bench.ask(), bench.ask()])
    expect(words.sort()).to.deep.equal(['allow', 'replay', 'replay'])
  })

  it('two daemons at once: the second finds it burned when it takes its turn', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal())
    const other = await GateBench.open({machine: bench.machine})
    expect(await bench.ask()).to.equal('allow')
    // Each opens the logs when it has the lock of the state directory, and not before.
    await other.restart()
    other.lay(bench.files[0]?.bytes ?? Buffer.alloc(0))
    expect(await other.ask()).to.equal('replay')
  })

  it('a nonce that another burned between the look and the burn', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    await bench.nonces.burn(nonce, {statement: 'sha256:x', expMs: bench.nowMs + DAY_MS})
    const late = new Proxy(bench.nonces, {
      get: (target, name) => {
        if (name === 'state') return () => 'fresh'
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
    bench.lay(bench.seal({payload: bench.payload({nonce})}))
    expect(word(await bench.createGate({}, late).authorize(bench.request()))).to.equal('replay')
  })

  it('tells what became of it, where the journal knows', async () => {
    const bench = await GateBench.open()
    const signing = bench.signing()
    const gate = bench.createGate({signing: {...signing, outcomeOf: () => 'operation r1.2 has succeeded'}})
    bench.lay(bench.seal())
    expect(word(await gate.authorize(bench.request()))).to.equal('allow')
    const verdict = await gate.authorize(bench.request())
    expect(!verdict.allowed && verdict.refusal.message).to.match(/used before: operation r1\.2 has succeeded/)
    const silent = await bench.gate.authorize(bench.request())
    expect(!silent.allowed && silent.refusal.message).to.match(/used before: it allows one thing, once/)
  })
})

describe('store_error', () => {
  it('a full disk in mid-burn: nothing is allowed, and after a restart the approval still is', async () => {
    const bench = await GateBench.open()
    const envelope = bench.seal()
    await bench.nonces.advance({clockMs: bench.nowMs, trust: 1})
    bench.machine.onCall = (call) =>
      call.name === 'write' && isOf('nonces', call) ? {error: 'ENOSPC', afterBytes: 7} : undefined
    expect(await bench.decide(envelope)).to.equal('store_error')
    bench.machine.onCall = undefined
    await bench.restart()
    expect(await bench.decide(envelope)).to.equal('allow')
  })

  it('a sync that fails in mid-burn: nothing more is allowed in this process', async () => {
    const bench = await GateBench.open()
    await bench.nonces.advance({clockMs: bench.nowMs, trust: 1})
    bench.machine.onCall = (call) =>
      call.name === 'datasync' && isOf('nonces', call) ? {error: 'EIO'} : undefined
    expect(await bench.decide()).to.equal('store_error')
    bench.machine.onCall = undefined
    expect(await bench.decide()).to.equal('store_error')
  })

  it('a mark that cannot be kept', async () => {
    const bench = await GateBench.open()
    bench.machine.onCall = (call) => (isOf('nonces', call) ? {error: 'ENOSPC'} : undefined)
    expect(await bench.decide()).to.equal('store_error')
  })

  it('a corrupt record: the log does not open', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide()).to.equal('allow')
    expect(await bench.decide()).to.equal('allow')
    const path = `/state/nonces/${bench.machine.names('/state/nonces')[0] ?? ''}`
    const bytes = bench.machine.bytes(path)
    const at = bytes.indexOf('"burned"') + 2
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    bench.machine.put(path, bytes)
    const opened = openNonces({
      disk: bench.machine.mount(),
      dir: '/state',
      clock: {now: () => bench.nowMs},
      warn: () => undefined,
    })
    expect(await rejection(opened)).to.include({code: 'journal_corrupt'})
  })
})

describe('internal_error', () => {
  it('an audit that cannot be kept: nothing is allowed, and the nonce stays burned', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    const envelope = bench.seal({payload: bench.payload({nonce})})
    bench.machine.onCall = (call) => (isOf('audit', call) ? {error: 'ENOSPC'} : undefined)
    expect(await bench.decide(envelope)).to.equal('internal_error')
    bench.machine.onCall = undefined
    await bench.restart()
    expect(bench.nonces.state(nonce)).to.equal('burned')
    expect(await bench.decide(envelope)).to.equal('replay')
  })

  it('an audit that cannot be kept stops benign work too', async () => {
    const bench = await GateBench.open()
    bench.machine.onCall = (call) => (isOf('audit', call) ? {error: 'EIO'} : undefined)
    expect(await bench.ask(bench.request({type: 'start'}, {class: 'benign'}))).to.equal('internal_error')
  })

  it('an audit that cannot be kept leaves a refusal what it is', async () => {
    const bench = await GateBench.open()
    bench.machine.onCall = (call) => (isOf('audit', call) ? {error: 'EIO'} : undefined)
    expect(await bench.ask()).to.equal('pending_signature')
  })

  it('no audit at all: no signature helps', async () => {
    const bench = await GateBench.open()
    bench.lay(bench.seal())
    const gate = bench.createGate({audit: undefined as never})
    expect(word(await gate.authorize(bench.request()))).to.equal('pending_signature')
  })
})

describe('the audit', () => {
  it('holds every decision: what it was about, who signed, and why not', async () => {
    const bench = await GateBench.open()
    await bench.ask(bench.request({type: 'start'}, {class: 'benign'}))
    await bench.ask()
    const nonce = bench.newNonce()
    await bench.decide({payload: bench.payload({nonce, host: 'another'})})
    await bench.decide({keys: [stranger]})
    await bench.decide({payload: bench.payload({nonce}), keys: [annaToo, bert]})
    const [benign, pending, host, unknown, allowed] = bench.decisions
    expect(benign).to.deep.equal({op: 'start', class: 'benign', vmid: 104, signers: [], decision: 'allow'})
    expect(pending).to.include({op: 'guest.destroy', decision: 'refuse', refusal: 'pending_signature'})
    expect(pending?.action).to.match(/^sha256:/)
    expect(host).to.include({refusal: 'wrong_host', nonce})
    expect(host?.signers.map(({principal}) => principal)).to.deep.equal(['anna'])
    expect(unknown).to.include({refusal: 'unknown_signer'})
    expect(unknown?.statement).to.match(/^sha256:/)
    expect(unknown?.signers).to.deep.equal([])
    expect(allowed).to.include({
      op: 'guest.destroy',
      class: 'destructive',
      vmid: 104,
      nonce,
      decision: 'allow',
    })
    expect(allowed?.signers.map(({principal}) => principal)).to.deep.equal(['anna', 'bert'])
    expect(allowed?.signers.every(({fingerprint}) => fingerprint.startsWith('SHA256:'))).to.equal(true)
    expect(allowed).to.not.have.property('refusal')
    expect(bench.audit.head().seq).to.be.greaterThan(4)
  })

  it('is on disk before the gate answers', async () => {
    const bench = await GateBench.open()
    expect(await bench.decide()).to.equal('allow')
    const {seq} = bench.audit.head()
    bench.machine.losePower()
    await bench.restart()
    expect(bench.audit.head().seq).to.equal(seq)
  })
})

describe('asking beforehand', () => {
  it('says what a signature would have to be for, and that it lacks', async () => {
    const bench = await GateBench.open()
    const {need, refusal, class: gateClass} = await bench.gate.inspect(bench.request())
    expect(gateClass).to.equal('destructive')
    expect(need?.bound).to.deep.equal(bench.bound())
    expect(need?.observed).to.equal(bench.observed())
    expect(refusal?.code).to.equal('pending_signature')
  })

  it('says that an approval holds, and burns, audits and marks nothing', async () => {
    const bench = await GateBench.open()
    const nonce = bench.newNonce()
    bench.lay(bench.seal({payload: bench.payload({nonce})}))
    const {approved, refusal} = await bench.gate.inspect(bench.request())
    expect(refusal).to.equal(undefined)
    expect(approved?.statement.nonce).to.equal(nonce)
    expect(bench.nonces.state(nonce)).to.equal('fresh')
    expect(bench.nonces.clockMarkMs).to.equal(0)
    expect(bench.decisions).to.deep.equal([])
    expect(await bench.ask()).to.equal('allow')
  })

  it('says of benign work that it needs nothing', async () => {
    const bench = await GateBench.open()
    expect(await bench.gate.inspect(bench.request({type: 'start'}, {class: 'benign'}))).to.deep.equal({
      class: 'benign',
    })
  })

  it('says of what nobody can sign for why', async () => {
    const bench = await GateBench.open()
    const {need, refusal} = await bench.gate.inspect(bench.request({type: 'migrate', to: ['pve2']}))
    expect(need).to.equal(undefined)
    expect(refusal?.message).to.match(/no signature can allow it/)
  })

  it('fails if Proxmox cannot be read, rather than deciding', async () => {
    const bench = await GateBench.open()
    const signing = bench.signing()
    const readSnapshots = () => Promise.reject(new FelhomError('unreachable', 'gone'))
    const gate = bench.createGate({signing: {...signing, snapshots: {readSnapshots}}})
    bench.lay(bench.seal())
    expect(await rejection(gate.authorize(bench.request()))).to.include({code: 'unreachable'})
    expect(bench.decisions).to.deep.equal([])
  })
})

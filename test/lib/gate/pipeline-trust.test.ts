// Step 2, the trust store, on real files: where anything about it is not as it must be, nobody's signature counts.
import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import type {TrustFile} from '../../../src/lib/gate/ports.ts'
import {hashTrust} from '../../../src/lib/gate/trust-document.ts'
import {wireString} from '../../support/wire-string.ts'
import {TrustFiles} from '../../../src/lib/store/trust-files.ts'
import {forgeKey} from '../../support/forge-keys.ts'
import {
  anna,
  bert,
  DAY_MS,
  GateBench,
  NOW_MS,
  rita,
  signer,
  stranger,
  trustFile,
  word,
} from '../../support/gate-bench.ts'

const isRoot = process.getuid?.() === 0
let dir: string

function write({version, bytes, signatures}: TrustFile): void {
  writeFileSync(join(dir, `${version}.json`), bytes, {mode: 0o644})
  writeFileSync(join(dir, `${version}.sigs.json`), signatures, {mode: 0o644})
}

/** What the gate says to a good approval, with the trust store as it lies there. */
async function decide(bench: GateBench): Promise<string> {
  const gate = bench.createGate({signing: {...bench.signing(), trust: new TrustFiles(dir)}})
  bench.files.length = 0
  bench.lay(bench.seal())
  return word(await gate.authorize(bench.request()))
}

describe('trust_error: the files', () => {
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-trust-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const file = (): string => join(dir, '1.json')
  const FILES: Readonly<Record<string, () => void>> = {
    'writable by a group': () => chmodSync(file(), 0o664),
    'writable by all': () => chmodSync(file(), 0o646),
    'signatures writable by all': () => chmodSync(join(dir, '1.sigs.json'), 0o666),
    'a directory writable by all': () => chmodSync(dir, 0o777),
    'a symlink': () => {
      renameSync(file(), join(dir, 'elsewhere'))
      symlinkSync(join(dir, 'elsewhere'), file())
    },
    'a hard link': () => linkSync(file(), join(dir, 'another-name')),
    'a directory in its place': () => {
      rmSync(file())
      mkdirSync(file())
    },
    'a FIFO in its place': () => {
      rmSync(file())
      execFileSync('mkfifo', [file()])
    },
    missing: () => rmSync(file()),
    'signatures missing': () => rmSync(join(dir, '1.sigs.json')),
    'the whole directory missing': () => rmSync(dir, {recursive: true}),
    'larger than any trust store': () => writeFileSync(file(), Buffer.alloc(70_000, ' ')),
    ...(isRoot ? {'owned by somebody else': () => chownSync(file(), 65_534, 65_534)} : {}),
  }
  for (const [name, spoil] of Object.entries(FILES)) {
    it(name, async () => {
      const bench = await GateBench.open()
      write(trustFile())
      expect(await decide(bench)).to.equal('allow')
      spoil()
      expect(await decide(bench)).to.equal('trust_error')
    })
  }
})

describe('trust_error: the versions', () => {
  const recovery = signer('rita', rita, 'recovery')
  const inMemory = async (trust: readonly TrustFile[]): Promise<string> => {
    const bench = await GateBench.open({trust})
    return bench.decide({payload: bench.payload({trust: Math.max(1, trust.length)})})
  }
  const smallOrder = Buffer.alloc(32)
  smallOrder.writeUInt8(1)
  const weakLine = `ssh-ed25519 ${Buffer.concat([wireString('ssh-ed25519'), wireString(smallOrder)]).toString('base64')}`

  const DRAFTS: Readonly<Record<string, () => TrustFile>> = {
    expired: () => trustFile({expiresMs: NOW_MS}),
    'a small-order key': () =>
      trustFile({signers: [signer('eve', {line: weakLine}), signer('anna', anna), recovery]}, [anna, rita]),
    'an RSA key of 2048 bits': () => {
      const key = forgeKey('rsa', 'short', {rsaBits: 2048})
      return trustFile({signers: [signer('eve', key), signer('anna', anna), recovery]}, [key, anna, rita])
    },
    'a threshold of 0': () => trustFile({thresholds: {default: 0, recovery: 1}}),
    'a threshold above the number of people': () => trustFile({thresholds: {default: 3, recovery: 1}}),
    'a threshold of an operation above the number of people': () =>
      trustFile({thresholds: {default: 1, recovery: 1, 'guest.destroy': 3}}),
    'no recovery role': () => trustFile({signers: [signer('anna', anna)]}, [anna]),
    'no operational role': () => trustFile({signers: [recovery]}, [rita]),
    'a version 1 that not all of its keys have signed': () => trustFile({}, [anna, rita]),
    'a version 1 with a signature of a stranger': () =>
      trustFile({signers: [signer('anna', anna), recovery]}, [anna, rita, stranger]),
    'a version 1 signed for another namespace': () =>
      trustFile({}, undefined, {namespace: 'felhom-op-v1@felhom'}),
    'white space': () => {
      const good = trustFile()
      return {...good, bytes: Buffer.concat([good.bytes, Buffer.from('\n')])}
    },
  }
  for (const [name, make] of Object.entries(DRAFTS)) {
    it(name, async () => {
      expect(await inMemory([make()])).to.equal('trust_error')
    })
  }

  it('another version 1 than the one that is pinned', async () => {
    const bench = await GateBench.open({genesis: hashTrust(Buffer.from('another'))})
    expect(await bench.decide()).to.equal('trust_error')
  })

  it('none at all', async () => {
    expect(await inMemory([])).to.equal('trust_error')
  })

  it('in its last second it has not expired', async () => {
    expect(await inMemory([trustFile({expiresMs: NOW_MS + 1000})])).to.equal('allow')
  })

  it('a version 2 that does not follow', async () => {
    const next = trustFile({version: 2, prev: hashTrust(Buffer.from('x'))})
    expect(await inMemory([trustFile(), next])).to.equal('trust_error')
  })

  it('a version 2 that nobody of version 1 has signed', async () => {
    const first = trustFile()
    const signers = [signer('eve', stranger), recovery]
    const next = trustFile({version: 2, prev: hashTrust(first.bytes), signers}, [stranger])
    expect(await inMemory([first, next])).to.equal('trust_error')
  })

  it('a version that was rolled back to the one before, across a restart', async () => {
    const first = trustFile()
    const signers = [signer('bert', bert), recovery]
    const next = trustFile({version: 2, prev: hashTrust(first.bytes), signers}, [rita])
    const bench = await GateBench.open({trust: [first, next]})
    expect(await bench.decide({keys: [bert]})).to.equal('allow')
    await bench.restart()
    bench.trust = [first]
    expect(await bench.decide({keys: [bert]})).to.equal('trust_error')
  })

  it('a rollback after a refusal: what was once believed is marked, whoever signed', async () => {
    const first = trustFile()
    const signers = [signer('bert', bert), recovery]
    const next = trustFile({version: 2, prev: hashTrust(first.bytes), signers}, [rita])
    const bench = await GateBench.open({trust: [first, next]})
    expect(await bench.decide({keys: [anna]})).to.equal('unknown_signer')
    bench.trust = [first]
    expect(await bench.decide({keys: [anna]})).to.equal('trust_error')
  })

  it('does not stop benign work, nor is it read for it', async () => {
    const bench = await GateBench.open({trust: []})
    bench.nowMs += DAY_MS
    expect(await bench.ask(bench.request({type: 'start'}, {class: 'benign'}))).to.equal('allow')
  })
})

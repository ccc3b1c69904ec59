import {execFileSync, spawn} from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {runFelhom, type Run, type RunOptions} from '../support/felhom.ts'
import {runSshKeygen} from '../support/gate-keys.ts'

const TRUST = 'felhom-trust-v1@felhom'
const OPERATION = 'felhom-op-v1@felhom'

describe('felhom gate trust', function () {
  this.timeout(60_000)
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-trust-'))
  })

  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  /** Wherever lines are broken. */
  const expectRun = ({code, stdout, stderr}: Run, expected: number, message: RegExp): void => {
    const text = `${stdout}\n${stderr}`.replaceAll(/\s+/g, ' ')
    expect(text).to.match(message)
    expect(code, text).to.equal(expected)
  }
  const at = (...parts: string[]): string => join(dir, ...parts)
  const makeKeys = (...names: string[]): void => {
    for (const name of names) runSshKeygen(['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', at(name)])
  }
  const trust = (args: string[], options: RunOptions = {}): Promise<Run> =>
    runFelhom(['gate', 'trust', ...args], {cwd: dir, ...options})
  const trustJson = async (...args: string[]): Promise<Record<string, unknown>> => {
    const {stdout} = await trust([...args, '--json'])
    return (JSON.parse(stdout) as {result: Record<string, unknown>}).result
  }
  const pin = (stdout: string): void => {
    const [genesis = ''] = /sha256:[0-9a-f]{64}/.exec(stdout) ?? []
    writeFileSync(at('felhom.yaml'), `felhom: 1\ntrust:\n  dir: trust\n  genesis: ${genesis}\n`)
  }
  const init = async (...more: string[]): Promise<Run> => {
    makeKeys('alice', 'bob', 'safe')
    const keys = ['--operational', 'alice.pub', '--operational', 'bob.pub', '--recovery', 'safe.pub']
    const run = await trust(['init', ...keys, ...more])
    pin(run.stdout)
    return run
  }
  const signElsewhere = (key: string, file: string, namespace = TRUST): string => {
    const copy = at('elsewhere', 'statement')
    mkdirSync(at('elsewhere'), {recursive: true})
    rmSync(`${copy}.sig`, {force: true})
    copyFileSync(file, copy)
    runSshKeygen(['-q', '-Y', 'sign', '-f', key, '-n', namespace, copy])
    return `${copy}.sig`
  }

  it('makes a trust store with the keys at hand, and prints what pins it', async () => {
    const made = await init('--threshold', '2', '--expires', '30d')
    expect([made.code, made.stderr.includes('Error')]).to.deep.equal([0, false])
    expect(made.stdout).to.match(/Version 1 of the trust store is in force/)
    expect(made.stdout).to.match(/trust:\n {2}dir: .*trust\n {2}genesis:\n {4}sha256:/)
    const shown = await trust(['show'])
    expect(shown.code).to.equal(0)
    expect(shown.stdout).to.match(/people +2 operational, 1 recovery/)
    expect(shown.stdout).to.match(/thresholds +default 2, recovery 1/)
    for (const name of ['alice', 'bob', 'safe']) {
      const [, fingerprint = ''] = runSshKeygen(['-l', '-f', at(name)]).split(' ')
      expect(shown.stdout).to.include(fingerprint)
    }
    const verified = await trust(['verify'])
    expectRun(verified, 0, /1 version, valid/)
  })

  it('takes the signatures of keys that are elsewhere later', async () => {
    makeKeys('alice', 'safe')
    mkdirSync(at('away'))
    renameSync(at('safe'), at('away', 'safe'))
    copyFileSync(at('safe.pub'), at('away', 'safe.pub'))
    const begun = await trust(['init', '--operational', 'alice.pub', '--recovery', 'safe.pub'])
    expect(begun.code).to.equal(3)
    expect(begun.stdout).to.match(/a signature with the key of safe/)
    expect(existsSync(at('trust', '1.json'))).to.equal(false)
    const wrong = await trust([
      'init',
      '--signature',
      signElsewhere(at('away/safe'), at('trust/1.proposal.json'), 'file'),
    ])
    expectRun(wrong, 64, /the signature is for file/)
    const again = await trust(['init', '--operational', 'alice.pub', '--recovery', 'safe.pub'])
    expect(again.stderr).to.match(/version 1 is proposed already/)
    const done = await trust([
      'init',
      '--signature',
      signElsewhere(at('away/safe'), at('trust/1.proposal.json')),
    ])
    expect(done.code).to.equal(0)
    pin(done.stdout)
    expect((await trust(['verify'])).code).to.equal(0)
    expect(readdirSync(at('trust')).sort()).to.deep.equal(['1.json', '1.sigs.json'])
    expect((await trust(['init', '--operational', 'alice.pub', '--recovery', 'safe.pub'])).code).to.equal(64)
  })

  it('signs with a key that only the agent holds', async () => {
    makeKeys('alice', 'safe')
    const socket = at('agent')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], {stdio: 'ignore'})
    try {
      for (let tries = 0; !existsSync(socket) && tries < 200; tries++) execFileSync('sleep', ['0.02'])
      const env = {SSH_AUTH_SOCK: socket}
      execFileSync('ssh-add', ['-q', at('safe')], {env: {...process.env, ...env}, stdio: 'ignore'})
      rmSync(at('safe'))
      const args = ['init', '--operational', 'alice.pub', '--recovery', 'safe.pub']
      expect((await trust(args)).code).to.equal(3)
      expect((await trust([...args, '--discard'], {env})).code).to.equal(0)
    } finally {
      agent.kill()
    }
  })

  it('replaces a lost key with the recovery key', async () => {
    await init()
    rmSync(at('alice'))
    makeKeys('fresh')
    const args = ['rotate', '--revoke', 'alice', '--add-operational', 'alice=fresh.pub']
    const without = await trust([...args, '--key', 'bob', '--threshold', '2'])
    expectRun(without, 3, /it changes thresholds/)
    expect((await trust(['rotate', '--discard'])).code).to.equal(0)
    const rotated = await trust([...args, '--key', 'safe'])
    expect(rotated.code).to.equal(0)
    expect(rotated.stdout).to.match(/Version 2 of the trust store is in force/)
    const {versions} = await trustJson('verify')
    expect((versions as {by: string}[]).map(({by}) => by)).to.deep.equal(['everybody', 'recovery'])
    const show = await trustJson('show')
    expect((show['trust'] as {revoked: string[]}).revoked).to.deep.equal([
      runSshKeygen(['-l', '-f', at('alice.pub')]).split(' ')[1],
    ])
    const back = await trust(['rotate', '--add-operational', 'alice.pub', '--key', 'safe'])
    expectRun(back, 64, /is revoked/)
  })

  it('is told by the audit, from the first version on', async () => {
    await init()
    await trust(['rotate', '--renew', '--key', 'safe'])
    await trust(['revoke', 'bob', '--key', 'alice'])
    await trust(['rotate', '--renew', '--offline'])
    const {stdout} = await runFelhom(['gate', 'audit', '--json'], {cwd: dir})
    const {records} = (JSON.parse(stdout) as {result: {records: Record<string, unknown>[]}}).result
    const {versions} = (await trustJson('verify')) as {versions: {hash: string}[]}
    expect(records.map(({type, version, signers, hash}) => [type, version, signers, hash])).to.deep.equal([
      ['trust_changed', 1, ['alice', 'bob', 'safe'], versions[0]?.hash],
      ['trust_changed', 2, ['safe'], versions[1]?.hash],
      ['trust_changed', 3, ['alice'], versions[2]?.hash],
    ])
    const told = await runFelhom(['gate', 'audit', '--verify'], {cwd: dir})
    expectRun(told, 0, /trust store changed version 3 by alice 3 records, .* Every record is as it was/)
  })

  it('asks a key once that is named twice', async () => {
    makeKeys('alice', 'safe')
    const keys = ['--operational', 'alice.pub', '--recovery', 'safe.pub']
    const run = await trust(['init', ...keys, '--key', 'alice', '--key', 'safe.pub'])
    expect([run.code, run.stderr]).to.deep.equal([0, 'Signing with alice\nSigning with safe.pub\n'])
  })

  it('lets two operators rotate their keys, one here and one elsewhere', async () => {
    await init('--threshold', '2')
    makeKeys('carol')
    const begun = await trust(['rotate', '--add-operational', 'carol.pub', '--key', 'alice'])
    expect(begun.code).to.equal(3)
    expectRun(begun, 3, /of the operational role \(1 of 2 before, 2 of 2 after the change\)/)
    expect((await trust(['verify'])).stdout).to.match(/1 version, valid/)
    expect((await trust(['show'])).stdout).to.match(/Version 2 of the trust store waits for signatures/)
    const done = await trust(['rotate', '--signature', signElsewhere(at('bob'), at('trust/2.proposal.json'))])
    expect(done.code).to.equal(0)
    const {versions} = await trustJson('verify')
    expect((versions as {by: string}[]).at(-1)?.by).to.equal('operational')
  })

  it('takes no signature of somebody who is not pinned', async () => {
    await init()
    makeKeys('mallory')
    const run = await trust(['rotate', '--renew', '--key', 'mallory'])
    expectRun(run, 64, /not pinned/)
  })

  it('revokes a key of its own role with an operational key', async () => {
    await init()
    const run = await trust(['revoke', 'bob', '--key', 'alice'])
    expectRun(run, 0, /in force/)
    const recovery = await trust(['revoke', 'safe', '--key', 'alice'])
    expectRun(recovery, 64, /nobody has the role recovery/)
  })

  it('ends with 3 and the reason when the trust store cannot be believed', async () => {
    await init()
    const expectInvalid = async (reason: RegExp): Promise<void> => {
      const {code, stdout} = await trust(['verify'])
      expect(code).to.equal(3)
      expect(stdout.replaceAll(/\s+/g, ' ')).to.match(reason)
    }
    chmodSync(at('trust', '1.json'), 0o666)
    await expectInvalid(/NOT VALID .*others may change it/)
    chmodSync(at('trust', '1.json'), 0o644)
    const signatures = readFileSync(at('trust', '1.sigs.json'))
    writeFileSync(at('trust', '1.sigs.json'), '{"v":1,"signatures":[]}\n')
    await expectInvalid(/alice .* has not signed it/)
    writeFileSync(at('trust', '1.sigs.json'), signatures)
    writeFileSync(
      at('trust', '1.json'),
      readFileSync(at('trust', '1.json'), 'utf8').replace('"default":1', '"default":2'),
    )
    await expectInvalid(/not the one that the settings pin/)
    expect((await trust(['show'])).code).to.equal(3)
    rmSync(at('trust'), {recursive: true})
    await expectInvalid(/no directory/)
  })

  it('exports what stock ssh-keygen checks signatures with', async () => {
    await init('--not-after', '30d')
    makeKeys('carol')
    await trust(['rotate', '--revoke', 'bob', '--add-operational', 'carol.pub', '--key', 'safe'])
    const run = await trust(['export', '--out', 'allowed', '--revoked', 'revoked'])
    expect([run.code, run.stdout]).to.deep.equal([0, ''])
    expect((await trust(['export'])).stdout).to.equal(readFileSync(at('allowed'), 'utf8'))
    writeFileSync(at('message'), 'hello')
    const check = (name: string, namespace: string): boolean => {
      const signature = signElsewhere(at(name), at('message'), namespace)
      const files = ['-f', at('allowed'), '-r', at('revoked'), '-s', signature]
      try {
        runSshKeygen(['-Y', 'verify', ...files, '-I', name, '-n', namespace], Buffer.from('hello'))
        return true
      } catch {
        return false
      }
    }
    expect([check('alice', OPERATION), check('carol', TRUST), check('safe', TRUST)]).to.deep.equal([
      true,
      true,
      true,
    ])
    expect([check('bob', OPERATION), check('safe', OPERATION), check('alice', 'file')]).to.deep.equal([
      false,
      false,
      false,
    ])
  })

  it('says what to do when nothing is configured', async () => {
    const none = await trust(['show'])
    expectRun(none, 65, /felhom gate trust init/)
    writeFileSync(at('felhom.yaml'), 'felhom: 1\ntrust:\n  dir: trust\n')
    expect((await trust(['verify'])).stderr).to.match(/trust\.genesis is not set/)
    expect((await trust(['init'])).stderr).to.match(/no keys are named/)
  })

  it('asks for a passphrase on the terminal, and never takes it from anywhere else', async () => {
    makeKeys('alice')
    runSshKeygen(['-q', '-t', 'ed25519', '-N', 'a long secret', '-C', 'safe', '-f', at('safe')])
    const run = await trust(['init', '--operational', 'alice.pub', '--recovery', 'safe.pub'])
    expect(run.code).to.equal(64)
    expect(run.stderr).to.match(/ssh-keygen ended with/)
    expect(existsSync(at('trust', '1.json'))).to.equal(false)
    expect(existsSync(at('trust', '1.proposal.json'))).to.equal(true)
  })
})

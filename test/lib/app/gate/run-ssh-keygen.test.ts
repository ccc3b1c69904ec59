import {chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {signWithSshKeygen, type SigningRequest} from '../../../../src/lib/app/gate/run-ssh-keygen.ts'
import {judgeSignature} from '../../../../src/lib/gate/judge-signature.ts'
import {TRUST_NAMESPACE} from '../../../../src/lib/gate/namespaces.ts'
import {FILE_KEY_KINDS, realKey, runSshKeygen} from '../../../support/gate-keys.ts'
import {rejection} from '../../../support/reject.ts'

const bytes = Buffer.from('what is signed')
const request = (key: string): SigningRequest => ({key, namespace: TRUST_NAMESPACE, bytes})

describe('signing with ssh-keygen', () => {
  let dir: string

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-keygen-'))
  })

  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  /** In place of ssh-keygen: a script that does something else. */
  function pretend(script: string): NodeJS.ProcessEnv {
    const file = join(dir, 'ssh-keygen')
    writeFileSync(file, `#!/bin/sh\n${script}\n`)
    chmodSync(file, 0o755)
    return {PATH: `${dir}:${process.env['PATH'] ?? ''}`}
  }

  for (const kind of FILE_KEY_KINDS) {
    it(`makes a signature with a key ${kind} that holds over these bytes alone`, async () => {
      const key = realKey(kind)
      const {armoured, keyBlob, fingerprint} = await signWithSshKeygen(request(key.file))
      expect(judgeSignature(armoured, TRUST_NAMESPACE, bytes)).to.deep.equal({keyBlob, fingerprint})
      expect(judgeSignature(armoured, TRUST_NAMESPACE, Buffer.from('other'))).to.have.property('problem')
      expect(judgeSignature(armoured, 'file', bytes)).to.have.property('problem')
    })
  }

  it('takes the public key where the private one lies beside it', async () => {
    const {fingerprint} = await signWithSshKeygen(request(`${realKey().file}.pub`))
    expect(runSshKeygen(['-l', '-f', realKey().file])).to.include(fingerprint)
  })

  it('leaves nothing behind, whether it ends well or not', async () => {
    const env = pretend('exit 1')
    const {TMPDIR} = process.env
    const own = join(dir, 'tmp')
    mkdirSync(own)
    process.env['TMPDIR'] = own
    try {
      await signWithSshKeygen(request(realKey().file))
      await rejection(signWithSshKeygen({...request(realKey().file), env}))
      expect(readdirSync(own)).to.deep.equal([])
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = TMPDIR
    }
  })

  it('says which key is not there', async () => {
    const error = await rejection(signWithSshKeygen({...request('none'), cwd: dir}))
    expect([error.code, error.message]).to.deep.equal([
      'signing_failed',
      `there is no key ${join(dir, 'none')}`,
    ])
  })

  it('takes a file that is no key for none', async () => {
    writeFileSync(join(dir, 'text'), 'no key', {mode: 0o600})
    const error = await rejection(signWithSshKeygen(request(join(dir, 'text'))))
    expect(error.code).to.equal('signing_failed')
  })

  it('is told apart from a success that made no signature', async () => {
    const error = await rejection(signWithSshKeygen({...request(realKey().file), env: pretend('exit 0')}))
    expect(error.message).to.match(/wrote no signature/)
  })

  it('does not believe a signature over something else', async () => {
    const {armoured} = await signWithSshKeygen({...request(realKey().file), bytes: Buffer.from('stale')})
    writeFileSync(join(dir, 'stale'), armoured)
    const stale = pretend(`for last; do :; done; cp '${join(dir, 'stale')}' "$last.sig"`)
    const error = await rejection(signWithSshKeygen({...request(realKey().file), env: stale}))
    expect(error.message).to.match(/does not hold: the signature is over other bytes/)
  })

  it('hands the bytes over as a file that nobody else can reach, and not on stdin', async () => {
    const seen = join(dir, 'seen')
    const look = pretend(`for last; do :; done; stat -c %a "$(dirname "$last")" "$last" > '${seen}'; exit 1`)
    await rejection(signWithSshKeygen({...request(realKey().file), env: look}))
    expect(readFileSync(seen, 'utf8')).to.equal('700\n600\n')
  })

  it('says that there is no ssh-keygen', async () => {
    const error = await rejection(signWithSshKeygen({...request(realKey().file), env: {PATH: dir}}))
    expect(error.message).to.match(/not found/)
    expect(error.hint).to.match(/OpenSSH/)
  })

  it('ends when it is interrupted', async () => {
    const controller = new AbortController()
    const env = pretend('exec sleep 60')
    const signing = rejection(signWithSshKeygen({...request(realKey().file), env, signal: controller.signal}))
    controller.abort()
    expect((await signing).code).to.equal('interrupted')
  })
})

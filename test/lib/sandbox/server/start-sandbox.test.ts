import {expect} from 'chai'
import {mkdtemp, readFile, readdir, rm, stat, writeFile} from 'node:fs/promises'
import {existsSync} from 'node:fs'
import {tmpdir} from 'node:os'
import path from 'node:path'
import {connect} from 'node:tls'
import {once} from 'node:events'
import {X509Certificate} from 'node:crypto'
import {LoopbackSandbox, impatientClock, recordedSeed} from '../../../support/loopback-sandbox.ts'
import {startSandbox} from '../../../../src/lib/sandbox/server/start-sandbox.ts'

describe('startSandbox', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'felhom-test-'))
  })
  afterEach(() => rm(folder, {recursive: true, force: true}))

  it('names the tokens of the seed', async () => {
    const box = await LoopbackSandbox.start()
    expect(box.sandbox.tokens['full']).to.equal('root@pam!felhom=11111111-2222-3333-4444-555555555555')
    expect(box.sandbox.tokens['ro']).to.equal('ro@pve!audit=22222222-3333-4444-5555-666666666666')
    await box.close()
  })

  it('keeps its authority in a private directory and removes it at the end', async () => {
    const box = await LoopbackSandbox.start()
    const {caFile, caPem} = box.sandbox
    expect(await readFile(caFile, 'utf8')).to.equal(caPem)
    expect((await stat(path.dirname(caFile))).mode & 0o777).to.equal(0o700)
    await box.close()
    expect(existsSync(path.dirname(caFile))).to.equal(false)
  })

  it('proves itself for 127.0.0.1, ::1 and localhost with the certificate of its fingerprint', async () => {
    const box = await LoopbackSandbox.start()
    const {url, caPem, fingerprint} = box.sandbox
    const socket = connect({host: '127.0.0.1', port: Number(new URL(url).port), ca: caPem})
    await once(socket, 'secureConnect')
    expect(socket.authorized).to.equal(true)
    const {raw} = socket.getPeerCertificate()
    const certificate = new X509Certificate(raw)
    expect(certificate.fingerprint256).to.equal(fingerprint)
    expect(fingerprint).to.match(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    expect(certificate.checkHost('localhost')).to.equal('localhost')
    expect(certificate.checkIP('::1')).to.equal('::1')
    expect(certificate.checkIssued(new X509Certificate(caPem))).to.equal(true)
    socket.destroy()
    await box.close()
  })

  it('uses other keys at each start unless it has a place for them', async () => {
    const one = await LoopbackSandbox.start()
    const two = await LoopbackSandbox.start()
    expect(one.sandbox.fingerprint).not.to.equal(two.sandbox.fingerprint)
    await Promise.all([one.close(), two.close()])
    const caDir = path.join(folder, 'ca')
    const three = await LoopbackSandbox.start({caDir})
    await three.close()
    const four = await LoopbackSandbox.start({caDir})
    expect(four.sandbox.fingerprint).to.equal(three.sandbox.fingerprint)
    expect((await four.api('GET', '/version')).status).to.equal(200)
    expect((await stat(path.join(caDir, 'server.key'))).mode & 0o777).to.equal(0o600)
    await four.close()
    expect(existsSync(four.sandbox.caFile)).to.equal(true)
  })

  it('keeps its state over a restart', async () => {
    const stateFile = path.join(folder, 'state.json')
    const first = await LoopbackSandbox.start({stateFile, clock: impatientClock})
    await first.api('PUT', '/nodes/pve/lxc/102/config', 'cores=2&description=kept')
    await first.close()
    const second = await LoopbackSandbox.start({stateFile, clock: impatientClock})
    expect(second.sandbox.cluster.guest(102)?.config).to.include({cores: '2'})
    await second.reset()
    await second.close()
    const third = await LoopbackSandbox.start({stateFile})
    expect(third.sandbox.cluster.guest(102)?.config).not.to.have.property('cores')
    await third.close()
    expect(await readdir(folder)).to.deep.equal(['state.json'])
  })

  it('saves a change soon, without waiting for its end', async () => {
    const stateFile = path.join(folder, 'state.json')
    const box = await LoopbackSandbox.start({stateFile, clock: impatientClock})
    await box.api('PUT', '/nodes/pve/lxc/102/config', 'cores=2')
    while (!existsSync(stateFile)) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await readFile(stateFile, 'utf8')).to.contain('"cores":"2"')
    await box.close()
  })

  it('takes what ran at its end for killed', async () => {
    const stateFile = path.join(folder, 'state.json')
    const first = await LoopbackSandbox.start({stateFile})
    await first.control({startDelaySeconds: 600})
    const {json} = await first.api('POST', '/nodes/pve/lxc/102/status/start', '')
    const upid = (json as {data: string}).data
    await first.close()
    const second = await LoopbackSandbox.start({stateFile})
    const status = await second.api('GET', `/nodes/pve/tasks/${encodeURIComponent(upid)}/status`)
    const {data} = status.json as {data: object}
    expect(data).to.include({status: 'stopped', exitstatus: 'unexpected status'})
    await second.close()
  })

  it('refuses a state file that it cannot read, and says which', async () => {
    const stateFile = path.join(folder, 'state.json')
    await writeFile(stateFile, 'no state')
    let message = ''
    try {
      await startSandbox({port: 0, seed: recordedSeed(), stateFile})
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).to.contain(stateFile)
  })

  it('breaks off what is under way at a reset', async () => {
    const box = await LoopbackSandbox.start()
    await box.control({configLockHeldSeconds: 600, vmid: 102})
    const waiting = box.api('PUT', '/nodes/pve/lxc/102/config', 'cores=1').catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await box.reset()
    expect(await waiting).to.include({code: 'ECONNRESET'})
    await box.close()
  })

  it('says when the port is taken', async () => {
    const box = await LoopbackSandbox.start()
    let code: string | undefined
    try {
      await LoopbackSandbox.start({port: Number(new URL(box.sandbox.url).port)})
    } catch (error) {
      code = (error as NodeJS.ErrnoException).code
    }
    expect(code).to.equal('EADDRINUSE')
    await box.close()
  })
})

// Approvals that come with the desired state, as the commands see them: from a directory and from an address.
import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {expect} from 'chai'
import {createAuthority} from '../support/certificates.ts'
import {GateLab, said} from '../support/gate-lab.ts'
import {httpAnswer, startScriptedServer} from '../support/scripted-server.ts'

const WISH = 'felhom: 1\nguests: {150: {kind: lxc, ensure: absent}}\n'

describe('an approval that came with the desired state', function () {
  this.timeout(120_000)
  let lab: GateLab
  before(async () => {
    lab = await GateLab.start()
  })
  after(() => lab.stop())
  beforeEach(async () => {
    await lab.renew()
    lab.wish('{150: {kind: lxc, ensure: absent}}')
    const id = await lab.pendingId()
    expect((await lab.sign(id, 'alice', '--confirm', 'wiki', '--reason', 'moved')).code).to.equal(0)
  })

  const useSource = (desired: string): void => {
    const settings = readFileSync(lab.at('felhom.yaml'), 'utf8')
    lab.write(
      'felhom.yaml',
      settings.replace('desired: guests.yaml', `desired: ${desired}`).replace('approvals: approvals\n', ''),
    )
  }

  async function expectUse(): Promise<void> {
    const check = await lab.felhom('gate', 'check')
    expect(check.code, said(check)).to.equal(0)
    expect((await lab.felhom('gate', 'pending')).code).to.equal(0)
    expect(said(await lab.felhom('plan'))).to.not.contain('needs signature')
    const plan = await lab.felhom('plan', '--out', 'plan.json')
    expect(plan.code, said(plan)).to.equal(0)
    const apply = await lab.felhom('apply', 'plan.json')
    expect(apply.code, said(apply)).to.equal(0)
    expect(await lab.vmids()).to.not.include(150)
  }

  it('is used by plan, gate and apply from a directory', async () => {
    mkdirSync(lab.at('guests'))
    writeFileSync(lab.at('guests', 'a.yaml'), WISH)
    useSource('guests')
    expect((await lab.felhom('gate', 'check')).code).to.equal(3)
    renameSync(lab.at('approvals'), lab.at('guests', 'approvals'))
    await expectUse()
  })

  it('is not said to be wanting, without a word, where a saved plan finds its source in disorder', async () => {
    mkdirSync(lab.at('guests'))
    writeFileSync(lab.at('guests', 'a.yaml'), WISH)
    useSource('guests')
    renameSync(lab.at('approvals'), lab.at('guests', 'approvals'))
    expect((await lab.felhom('plan', '--out', 'plan.json')).code).to.equal(0)
    for (let i = 0; i < 1000; i++) writeFileSync(lab.at('guests', 'approvals', `a${i}.json`), '{}')
    const apply = await lab.felhom('apply', 'plan.json')
    expect(apply.code).to.equal(3)
    expect(said(apply)).to.contain('Approvals that come with the desired state are not counted')
    expect(said(await lab.felhom('gate', 'check', 'plan.json'))).to.contain('are not counted')
  })

  it('is used by plan, gate and apply from an address', async () => {
    const authority = await createAuthority()
    const [file = ''] = lab.approvals()
    const approval: unknown = JSON.parse(readFileSync(file, 'utf8'))
    rmSync(lab.at('approvals'), {recursive: true})
    let approvals: unknown[] = []
    const server = await startScriptedServer(await authority.issue(), (_request, socket) => {
      const bundle = {felhom_bundle: 1, files: {'a.yaml': WISH}, approvals}
      socket.end(httpAnswer(200, 'OK', JSON.stringify(bundle)))
    })
    try {
      lab.write('ca.pem', authority.pem)
      useSource(`{https: "${server.url}/x.json", ca: ca.pem}`)
      expect((await lab.felhom('gate', 'check')).code).to.equal(3)
      expect((await lab.apply()).code).to.equal(3)
      approvals = [approval]
      await expectUse()
    } finally {
      await server.close()
    }
  })
})

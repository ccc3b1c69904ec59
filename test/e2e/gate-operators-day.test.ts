import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {expect} from 'chai'
import {runSshKeygen} from '../support/gate-keys.ts'
import {GateLab, said} from '../support/gate-lab.ts'
import {Terminal} from '../support/terminal.ts'

const NAMESPACE = 'felhom-op-v1@felhom'
const WIKI = 150

describe("the operator's day", function () {
  this.timeout(120_000)
  let lab: GateLab

  before(async () => {
    lab = await GateLab.start()
  })
  after(() => lab.stop())

  const expectCode = async (expected: number, run: ReturnType<GateLab['felhom']>): Promise<string> => {
    const ended = await run
    expect(ended.code, said(ended)).to.equal(expected)
    return said(ended)
  }

  it('goes from a plan that destroys, over a signature, to one destruction, a replay and the audit', async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)

    expect(await expectCode(3, lab.apply())).to.match(
      /needs signature \(0\/1\).*needs the signature of an operator/,
    )
    expect(await lab.vmids()).to.include(WIKI)
    expect(await lab.destructions()).to.equal(0)

    expect(await expectCode(3, lab.felhom('gate', 'pending'))).to.match(/lxc\/150 wiki guest\.destroy 0 of 1/)
    expect(await expectCode(3, lab.felhom('gate', 'check'))).to.contain('pending (0 of 1 signed)')
    const id = await lab.pendingId()
    expect(id).to.match(/^[0-9a-f]{16}$/)
    for (const command of ['pending', 'check']) {
      const {code, stdout} = await lab.felhom('gate', command, '--json')
      const {ok, error} = JSON.parse(stdout) as {ok: boolean; error: unknown}
      expect({code, ok, error}).to.deep.equal({code: 3, ok: true, error: null})
    }
    expect(await expectCode(0, lab.felhom('gate', 'show', id))).to.match(
      /Not signed yet.*guest\.destroy.*lxc\/150 on pve2.*purge: true/,
    )

    expect(await expectCode(64, lab.sign(id, 'alice', '--confirm', 'dns1'))).to.contain('names dns1')
    expect(await expectCode(0, lab.sign(id, 'alice', '--confirm', 'wiki', '--reason', 'it moved'))).to.match(
      /signed by alice SHA256:\S+ It is complete/,
    )
    const [approval = '', ...others] = lab.approvals()
    expect(others).to.deep.equal([])
    expect(approval).to.match(new RegExp(`/${id}-[\\w-]{22}\\.json$`))
    expect(statSync(approval).mode & 0o777).to.equal(0o600)
    expect(await expectCode(0, lab.felhom('gate', 'show', approval))).to.contain('it moved')
    expect(await expectCode(0, lab.felhom('gate', 'check'))).to.contain('signed')
    expect(await expectCode(0, lab.felhom('gate', 'pending'))).to.contain('Nothing waits')

    expect(await expectCode(0, lab.apply())).to.contain('1 destroyed')
    expect(await lab.vmids()).not.to.include(WIKI)
    expect(await lab.destructions()).to.equal(1)

    await lab.sandbox.reset()
    const {actions} = await lab.json('apply', '--auto-approve', '--approval', approval)
    expect(actions).to.have.nested.property('0.refusal', 'replay')
    expect(await lab.vmids()).to.include(WIKI)
    expect(await lab.destructions()).to.equal(0)

    const story = await expectCode(0, lab.felhom('gate', 'audit', '--verify'))
    expect(story).to.match(/pending_signature.*allow alice \(SHA256:.*replay.*Every record is as it was/)
    const head = (await lab.felhom('gate', 'audit', '--head')).stdout.trim()
    expect(head).to.match(/^\d+:[0-9a-f]+$/)
    expect(await expectCode(0, lab.felhom('gate', 'audit', '--verify', '--anchor', head))).to.contain(
      'The given head is in it',
    )
    const [seq = ''] = head.split(':')
    const forged = `${seq}:${'0'.repeat(32)}`
    await expectCode(7, lab.felhom('gate', 'audit', '--verify', '--anchor', forged))
  })

  it('takes a signature that stock ssh-keygen made on another machine', async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    const id = await lab.pendingId()
    const told = await expectCode(0, lab.felhom('gate', 'export', id, '--out', 'statement.json'))
    expect(told).to.contain(`ssh-keygen -Y sign -f KEY -n ${NAMESPACE} statement.json`)

    const away = lab.at('away')
    mkdirSync(away)
    copyFileSync(lab.at('statement.json'), `${away}/statement.json`)
    runSshKeygen(['-Y', 'sign', '-f', lab.at('alice'), '-n', NAMESPACE, `${away}/statement.json`])
    const submit = ['gate', 'submit', '--statement', 'statement.json', '--sig']

    writeFileSync(lab.at('other.json'), `${readFileSync(lab.at('statement.json'), 'utf8')}\n`)
    expect(
      await expectCode(
        64,
        lab.felhom('gate', 'submit', '--statement', 'other.json', '--sig', 'away/statement.json.sig'),
      ),
    ).to.contain('no approval')

    expect(await expectCode(0, lab.felhom(...submit, 'away/statement.json.sig'))).to.contain('complete')
    const [approval = ''] = lab.approvals()
    const {payload} = JSON.parse(readFileSync(approval, 'utf8')) as {payload: string}
    expect(Buffer.from(payload, 'base64').equals(readFileSync(lab.at('statement.json')))).to.equal(true)
    await expectCode(0, lab.apply())
    expect(await lab.vmids()).not.to.include(WIKI)
  })

  it('counts two people where two are needed, and no key twice', async () => {
    await lab.renew(['guest.destroy=2'])
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    const id = await lab.pendingId()
    expect(await expectCode(3, lab.sign(id, 'alice', '--confirm', 'wiki'))).to.contain('1 of 2 people')
    expect(await expectCode(0, lab.felhom('plan'))).to.match(
      /needs signature \(1\/2\).*1 of 2 people have signed.*1 action needs a signature: felhom gate pending/,
    )
    expect(await expectCode(3, lab.apply())).to.contain('1 of 2 people have signed')
    expect(await expectCode(64, lab.sign(id, 'alice', '--confirm', 'wiki'))).to.contain('signed it already')
    const [approval = ''] = lab.approvals()
    await expectCode(64, lab.sign(approval, 'bob', '--confirm', 'wiki'))
    expect(await expectCode(0, lab.sign(approval, 'bob', '--confirm', 'lxc/150'))).to.contain('complete')
    expect(lab.approvals()).to.deep.equal([approval])
    await expectCode(0, lab.apply())
    expect(await lab.destructions()).to.equal(1)
  })

  it('writes nothing that the gate would refuse: a key that is not pinned, a key of the recovery role', async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    const id = await lab.pendingId()
    expect(await expectCode(64, lab.sign(id, 'mallory', '--confirm', 'wiki'))).to.contain('unknown_signer')
    expect(await expectCode(64, lab.sign(id, 'safe', '--confirm', 'wiki'))).to.contain('role_denied')
    expect(
      await expectCode(64, lab.sign(id, 'alice', '--confirm', 'wiki', '--expires-in', '25h')),
    ).to.contain('at most 24 hours')
    expect(await expectCode(64, lab.sign('abcd', 'alice', '--confirm', 'wiki'))).to.contain(
      'begins with abcd',
    )
    expect(await expectCode(64, lab.sign(id, 'alice'))).to.contain('no terminal')
    expect(() => lab.approvals()).to.throw()
    expect(await lab.vmids()).to.include(WIKI)
  })

  it('never takes an approval that was rejected, nor one for a guest that has changed since', async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    const id = await lab.pendingId()
    await expectCode(0, lab.sign(id, 'alice', '--confirm', 'wiki'))
    const reject = ['gate', 'reject', id, '--reason', 'wrong guest']
    expect(await expectCode(0, lab.felhom(...reject))).to.contain('It is void')
    await expectCode(3, lab.felhom(...reject))
    expect(await expectCode(3, lab.apply())).to.contain('rejected')

    await expectCode(0, lab.sign(id, 'bob', '--confirm', 'wiki'))
    await lab.sandbox.call('PUT', `/nodes/pve2/lxc/${WIKI}/config`, {description: 'still in use'})
    expect(await expectCode(3, lab.apply())).to.contain('changed since the approval was signed')
    expect(await lab.destructions()).to.equal(0)
    expect(await expectCode(0, lab.felhom('gate', 'audit'))).to.match(
      /rejected \S+: wrong guest.*binding_mismatch/,
    )
  })

  it('lets a snapshot be deleted once it is signed for', async () => {
    await lab.renew()
    lab.wish('{}')
    await lab.sandbox.call('POST', '/nodes/pve1/lxc/101/snapshot', {snapname: 'before'})
    // It was made with our own token, behind the back of the journal.
    await lab.felhom('snapshot', 'delete', 'lxc/101', 'before')
    await expectCode(0, lab.felhom('journal', 'rearm', '--auto-approve'))
    const job = 'snapshot.delete lxc/101 before'
    await expectCode(3, lab.felhom('snapshot', 'delete', 'lxc/101', 'before'))
    await expectCode(0, lab.felhom('gate', 'sign', '--job', job, '--key', 'alice', '--confirm', 'dns1'))
    await expectCode(0, lab.felhom('snapshot', 'delete', 'lxc/101', 'before'))
    const left = (await lab.sandbox.call('GET', '/nodes/pve1/lxc/101/snapshot')) as {name: string}[]
    expect(left.map(({name}) => name)).not.to.include('before')
  })

  it('asks on the terminal for the name of the guest, and takes nothing else', async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    const id = await lab.pendingId()
    const answer = async (...keys: string[]): Promise<number> => {
      const args = ['gate', 'sign', id, '--key', lab.at('alice'), '--config', lab.at('felhom.yaml')]
      const terminal = await Terminal.open(args, lab.sandbox.env)
      try {
        await terminal.readWhen(/type the guest's name \(wiki\):/)
        for (const key of keys) await terminal.press(key)
        const code = await terminal.exitCode()
        // What is said stands on a line of its own, however the question ended.
        expect(await terminal.read()).to.match(/^(Error: |Written to )/m)
        return code
      } finally {
        await terminal.close()
      }
    }
    expect(await answer('yes', 'Enter')).to.equal(64)
    expect(await answer('C-c')).to.equal(130)
    expect(() => lab.approvals()).to.throw()
    expect(await answer('wiki', 'Enter')).to.equal(0)
    expect(lab.approvals()).to.have.length(1)
  })

  it('destroys nothing under a state directory of old, signed or not, until somebody has looked', async () => {
    await lab.renew()
    // A journal must have been begun: before that there is no memory that could be old.
    lab.wish('{101: {kind: lxc, config: {memory: 768MiB}}}')
    await expectCode(0, lab.apply())
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
    await expectCode(0, lab.sign(await lab.pendingId(), 'alice', '--confirm', 'wiki'))
    const [used = ''] = lab.approvals()
    cpSync(lab.at('.felhom'), lab.at('copy'), {recursive: true})
    await expectCode(0, lab.apply())
    rmSync(lab.at('.felhom'), {recursive: true})
    renameSync(lab.at('copy'), lab.at('.felhom'))

    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}, 102: {kind: lxc, ensure: absent}}')
    await expectCode(0, lab.sign(await lab.pendingId(), 'alice', '--confirm', 'dns2'))
    const told = await expectCode(3, lab.apply())
    expect(told).to.match(/Nothing destructive is done until.*lxc\/101 dns1: changed memory/)
    expect(told).to.contain('destroy: Proxmox shows tasks of our token that the journal does not know')
    expect(await lab.destructions()).to.equal(1)

    // What was used since the copy was made looks unused, and can be taken back while nothing can go wrong.
    await expectCode(0, lab.felhom('gate', 'reject', used))
    await expectCode(0, lab.felhom('journal', 'rearm', '--auto-approve'))
    await expectCode(0, lab.apply())
    expect(await lab.destructions()).to.equal(2)
  })

  it('has no clock to reset as long as it goes forward', async () => {
    await lab.renew()
    expect(await expectCode(0, lab.felhom('gate', 'clock', 'reset'))).to.contain('nothing to do')
  })
})

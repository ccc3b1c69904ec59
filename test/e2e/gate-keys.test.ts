// Keys that lie in no file: in a real ssh-agent, and security keys behind an agent that answers as theirs does. Who
// signs is always the operator's own ssh-keygen.
import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import {rmSync, writeFileSync} from 'node:fs'
import {expect} from 'chai'
import {runFelhom, type Run} from '../support/felhom.ts'
import {forgeKey} from '../support/forge-keys.ts'
import {GateLab, said} from '../support/gate-lab.ts'
import {SecurityKeyAgent} from '../support/security-key-agent.ts'

const WIKI = 150
const [TOUCH, PIN] = [1, 4]

describe('signing with a key that lies in no file', function () {
  this.timeout(120_000)
  let lab: GateLab

  before(async () => {
    lab = await GateLab.start()
  })
  after(() => lab.stop())

  beforeEach(async () => {
    await lab.renew()
    lab.wish(`{${WIKI}: {kind: lxc, ensure: absent}}`)
  })

  const withAgent = async (code: number, ...args: string[]): Promise<string> => {
    const env = {...lab.sandbox.env, SSH_AUTH_SOCK: lab.at('agent')}
    const run: Run = await runFelhom(args, {cwd: lab.dir, env})
    expect(run.code, said(run)).to.equal(code)
    return said(run)
  }

  it('works with the public half alone where a real ssh-agent holds the other', async () => {
    const agent = spawn('ssh-agent', ['-D', '-a', lab.at('agent')], {stdio: ['ignore', 'pipe', 'ignore']})
    try {
      // It says where it listens once it does.
      await once(agent.stdout, 'data')
      const env = {...process.env, SSH_AUTH_SOCK: lab.at('agent')}
      execFileSync('ssh-add', ['-q', lab.at('alice')], {env, stdio: 'ignore'})
      rmSync(lab.at('alice'))
      const id = await lab.pendingId()
      const without = await lab.sign(id, 'alice.pub', '--confirm', 'wiki')
      expect(without.code, said(without)).to.equal(64)
      expect(() => lab.approvals()).to.throw()
      const sign = ['gate', 'sign', id, '--key', 'alice.pub', '--confirm', 'wiki']
      expect(await withAgent(0, ...sign)).to.match(/signed by alice SHA256:\S+ It is complete/)
    } finally {
      agent.kill()
    }
    expect((await lab.apply()).code).to.equal(0)
    expect(await lab.vmids()).not.to.include(WIKI)
  })

  for (const kind of ['sk-ed25519', 'sk-ecdsa'] as const) {
    it(`works with a security key ${kind}, if it is touched and unlocked as the trust store demands`, async () => {
      const key = forgeKey(kind, 'carol')
      writeFileSync(lab.at('carol.pub'), `${key.line} carol\n`)
      const agent = await SecurityKeyAgent.listen(lab.at('agent'), [key])
      try {
        const rotate = ['gate', 'trust', 'rotate', '--add-operational', 'carol.pub', '--require-pin']
        agent.choice = {flags: TOUCH}
        expect(await withAgent(64, ...rotate, '--key', 'safe')).to.contain('a touch and a PIN')
        agent.choice = {flags: TOUCH | PIN}
        expect(await withAgent(0, ...rotate, '--key', 'safe', '--discard')).to.contain('Version 2')

        const sign = ['gate', 'sign', await lab.pendingId(), '--key', 'carol.pub', '--confirm', 'wiki']
        agent.choice = {flags: PIN}
        expect(await withAgent(64, ...sign)).to.contain('without a touch')
        agent.choice = {flags: TOUCH}
        expect(await withAgent(64, ...sign)).to.contain('a touch and a PIN')
        expect(() => lab.approvals()).to.throw()
        agent.choice = {flags: TOUCH | PIN}
        expect(await withAgent(0, ...sign)).to.contain('It is complete')
        expect(agent.signatures).to.equal(5)
      } finally {
        agent.close()
      }
      expect((await lab.apply()).code).to.equal(0)
      expect(await lab.destructions()).to.equal(1)
    })
  }
})

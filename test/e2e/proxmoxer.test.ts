// The sandbox and a client that others wrote for the real thing must understand each other: Debian's
// python3-proxmoxer, over verified TLS, with an API token.
import {spawn} from 'node:child_process'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {RECORDED_SEED} from '../support/seed-file.ts'

const SCRIPT = fileURLToPath(new URL('proxmoxer-session.py', import.meta.url))

interface Seen {
  version: string
  nodes: string[]
  lxc: Record<string, string>
  qemu: Record<string, string>
  resources: number[]
  before: Record<string, unknown>
  after: Record<string, unknown>
  stale: {status: number; text: string} | null
  missing: {status: number; text: string} | null
  upid: string
  task: {status: string; exitstatus: string; type: string; upid: string; id: string; user: string}
  log: string[]
  status: string
}

describe('proxmoxer against the sandbox', () => {
  let sandbox: SandboxProcess
  let seen: Seen
  before(async () => {
    sandbox = await startSandboxProcess('--seed', RECORDED_SEED)
    seen = await runSession(sandbox)
  })
  after(() => sandbox.stop())

  it('lists the nodes and the guests', () => {
    expect(seen.version).to.equal('9.1.10')
    expect(seen.nodes).to.deep.equal(['pve'])
    expect(Object.keys(seen.lxc)).to.have.members(['100', '101', '102', '103'])
    expect(seen.qemu).to.deep.equal({200: 'running', 201: 'stopped'})
    expect(seen.resources).to.deep.equal([100, 101, 102, 103, 200, 201])
  })

  it('reads a config, sets it and reads it back', () => {
    expect(seen.before).to.include({hostname: 'backup', memory: 256, ostype: 'debian'})
    expect(seen.before).to.not.have.any.keys('cores', 'description')
    expect(seen.after).to.include({cores: 2, memory: 256})
    expect(seen.after['description']).to.equal('set by proxmoxer: árvíz & 100 %\nsecond line\n')
    expect(seen.after['digest'])
      .to.match(/^[0-9a-f]{40}$/)
      .and.not.equal(seen.before['digest'])
  })

  it('is refused a write that was made for another config, and a guest that does not exist', () => {
    expect(seen.stale?.status).to.equal(500)
    expect(seen.stale?.text).to.contain('detected modified configuration')
    expect(seen.missing?.status).to.equal(500)
    expect(seen.missing?.text).to.contain('does not exist')
  })

  it('starts a container, waits for its task and reads its log', () => {
    expect(seen.upid).to.match(
      /^UPID:pve:[0-9A-F]{8}:[0-9A-F]{8,9}:[0-9A-F]{8}:vzstart:102:root@pam!felhom:$/,
    )
    expect(seen.task).to.include({status: 'stopped', exitstatus: 'OK', type: 'vzstart', id: '102'})
    expect(seen.task.upid).to.equal(seen.upid)
    expect(seen.log.at(-1)).to.equal('TASK OK')
    expect(seen.status).to.equal('running')
    expect(seen.lxc['102']).to.equal('running')
  })
})

function runSession({url, caFile, tokens}: SandboxProcess): Promise<Seen> {
  const child = spawn('/usr/bin/python3', [SCRIPT], {
    env: {PATH: process.env['PATH'], URL: url, CA_FILE: caFile, TOKEN: tokens.full},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(JSON.parse(stdout) as Seen)
      else
        reject(
          new Error(`the session ended with ${String(code)}; is python3-proxmoxer installed?\n${stderr}`),
        )
    })
  })
}

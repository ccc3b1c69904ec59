// `felhom capture`: one redacted file, and no secret of a guest or of felhom in the output of any command.
import {randomUUID} from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {addGuest, writeSeed} from '../support/seed-file.ts'

interface Capture {
  felhomCapture: number
  takenAt: string
  proxmox: {version: string}
  redacted: string[]
  cluster: {
    guests: {
      vmid: number
      config: {current: Record<string, string>; pending: {option: string; value?: string}[]}
    }[]
  }
}

describe('felhom capture', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  /** One for each place, so that a failure names the leak. */
  const canaries = Object.fromEntries(
    ['args', 'env', 'sshkeys', 'cipassword', 'pendingArgs', 'pendingPassword'].map((place) => [
      place,
      `canary-${place}-${randomUUID()}`,
    ]),
  )
  before(async () => {
    const seed = writeSeed(dir, (s) => {
      addGuest(s, 'lxc', 300, `arch: amd64\nenv: TOKEN=${canaries['env'] ?? ''}\nhostname: app\nmemory: 64\n`)
      addGuest(
        s,
        'qemu',
        301,
        `args: -fw_cfg ${canaries['args'] ?? ''}\ncipassword: ${canaries['cipassword'] ?? ''}\nmemory: 64\n` +
          `name: cloud\nsshkeys: ssh-ed25519%20${canaries['sshkeys'] ?? ''}\n\n` +
          `[PENDING]\nargs: ${canaries['pendingArgs'] ?? ''}\ncipassword: ${canaries['pendingPassword'] ?? ''}\n`,
      )
    })
    sandbox = await startSandboxProcess('--seed', seed)
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })

  const felhom = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    runFelhom(args, {env: {...sandbox.env, ...env}, cwd: dir})

  const guestOf = (
    capture: Capture,
    vmid: number,
  ): Capture['cluster']['guests'][number]['config'] | undefined =>
    capture.cluster.guests.find((g) => g.vmid === vmid)?.config

  it('prints a capture that is JSON, with secret options marked and the rest kept', async () => {
    const {code, stdout, stderr} = await felhom(['capture'])
    const capture = JSON.parse(stdout) as Capture
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
    expect(capture).to.deep.include({felhomCapture: 1, proxmox: {version: '9.1.10'}})
    expect(Date.now() - Date.parse(capture.takenAt)).to.be.within(-1000, 60_000)
    expect(capture.redacted).to.deep.equal(['args', 'cipassword', 'env', 'sshkeys'])
    expect(guestOf(capture, 300)?.current).to.deep.equal({
      arch: 'amd64',
      env: '<redacted>',
      hostname: 'app',
      memory: '64',
    })
    expect(guestOf(capture, 301)?.current).to.deep.equal({
      args: '<redacted>',
      cipassword: '<redacted>',
      memory: '64',
      name: 'cloud',
      sshkeys: '<redacted>',
    })
    expect(guestOf(capture, 301)?.pending).to.deep.equal([
      {option: 'args', kind: 'set', value: '<redacted>'},
      {option: 'cipassword', kind: 'set', value: '<redacted>'},
    ])
    expect(guestOf(capture, 101)?.current['description']).to.equal(
      'Media server\nsecond line: ünïcödé 100%\n',
    )
  })

  it('writes a file that only its owner may read, whole, in the place of an older one', () =>
    inScratch(async (out) => {
      const file = join(out, 'cluster.json')
      const elsewhere = join(out, 'elsewhere')
      writeFileSync(elsewhere, 'not to be touched', {mode: 0o644})
      symlinkSync(elsewhere, file)
      const {code, stdout, stderr} = await felhom(['capture', '--out', file])
      expect({code, stdout, stderr}).to.deep.equal({
        code: 0,
        stdout: `8 guests captured in ${file}\n`,
        stderr: '',
      })
      expect(statSync(file).mode & 0o777).to.equal(0o600)
      expect((JSON.parse(readFileSync(file, 'utf8')) as Capture).cluster.guests).to.have.length(8)
      expect(readFileSync(elsewhere, 'utf8')).to.equal('not to be touched')
      expect(readdirSync(out).sort()).to.deep.equal(['cluster.json', 'elsewhere'])
    }))

  it('says what to do when the file cannot be written, exits 64 and leaves nothing behind', () =>
    inScratch(async (out) => {
      mkdirSync(join(out, 'taken'))
      const missing = join(out, 'no-such-dir/x.json')
      const [a, b, c] = await Promise.all([
        felhom(['capture', '--out', missing]),
        felhom(['capture', '--out', join(out, 'taken')]),
        felhom(['capture', '--json', '--out', missing]),
      ])
      expect(a.code).to.equal(64)
      expect(a.stdout).to.equal('')
      expect(a.stderr).to.contain('cannot be written (ENOENT)').and.contain('is as it was')
      expect(b.code).to.equal(64)
      expect(b.stderr).to.contain('(EISDIR)')
      expect(c.code).to.equal(64)
      expect(JSON.parse(c.stdout)).to.deep.include({ok: false, result: null})
      expect(readdirSync(out)).to.deep.equal(['taken'])
    }))

  it('leaves the older file as it was when Proxmox fails', () =>
    inScratch(async (out) => {
      const file = join(out, 'cluster.json')
      writeFileSync(file, 'older')
      await sandbox.control({fault: {method: 'GET', path: '/nodes', kind: 'status', status: 403}})
      const {code} = await felhom(['capture', '--out', file])
      expect(code).to.equal(6)
      expect(readFileSync(file, 'utf8')).to.equal('older')
    }))

  it('has no secret of a guest and no token in the output of any command', async () => {
    const commands = [
      ['guests'],
      ['guests', '--json'],
      ['doctor', '--for', 'apply'],
      ['doctor', '--json'],
      ['capture'],
      ['capture', '--json'],
      ['config', 'show', '--origin'],
      ['config', 'show', '--json'],
    ]
    const wrongToken = `root@pam!felhom=canary-token-${randomUUID()}`
    const debug = {DEBUG: '*', NODE_DEBUG: 'http,https,tls,net,undici,fetch'}
    const refused = ['guests', 'doctor'].map((name) => felhom([name], {...debug, FELHOM_TOKEN: wrongToken}))
    const runs: {args: string[]; run: Run}[] = []
    for (const args of commands) {
      for (const run of await Promise.all([felhom(args), felhom(args, debug)])) {
        expect(run.code).to.equal(0)
        runs.push({args, run})
      }
    }
    for (const run of await Promise.all(refused)) {
      expect(run.code).to.be.oneOf([6, 9])
      runs.push({args: ['with a wrong token'], run})
    }
    const secrets = [
      ...Object.values(canaries),
      ...[...Object.values(sandbox.tokens), wrongToken].map(secretOf),
    ]
    for (const {args, run} of runs) {
      for (const secret of secrets) {
        expect(run.stdout + run.stderr, `felhom ${args.join(' ')} shows ${secret}`).to.not.contain(secret)
      }
    }
  })
})

const secretOf = (token: string): string => token.split('=')[1] ?? token

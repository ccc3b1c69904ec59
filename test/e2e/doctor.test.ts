// `felhom doctor`: healthy ends with 0; each thing to mend is named, says how, and ends with 9.
import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {addSecondNode, writeSeed} from '../support/seed-file.ts'

interface Finding {
  id: string
  verdict: 'ok' | 'note' | 'mend' | 'skipped'
  detail: string
  advice?: string
  commands?: string[]
}

const ALL = ['settings', 'state', 'token', 'endpoint', 'privileges', 'quorum', 'nodes', 'guests', 'clock']

describe('felhom doctor', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  before(async () => {
    sandbox = await startSandboxProcess('--seed', writeSeed(dir, addSecondNode))
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })
  beforeEach(() => sandbox.reset())

  const doctor = (env: NodeJS.ProcessEnv = {}, args: string[] = [], cwd = dir): Promise<Run> =>
    runFelhom(['doctor', ...args], {env: {...sandbox.env, ...env}, cwd})

  /** The findings by their id, after a look at the envelope they come in. */
  const examine = async (
    env: NodeJS.ProcessEnv = {},
    args: string[] = [],
    cwd = dir,
  ): Promise<{code: number | null; found: Record<string, Finding>; mend: string[]}> => {
    const run = await doctor(env, ['--json', ...args], cwd)
    const envelope = JSON.parse(run.stdout) as {
      ok: boolean
      error: unknown
      result: {healthy: boolean; findings: Finding[]}
    }
    const {healthy, findings} = envelope.result
    const mend = findings.filter((f) => f.verdict === 'mend').map((f) => f.id)
    expect(findings.map((f) => f.id)).to.deep.equal(ALL)
    expect(envelope).to.deep.include({ok: true, error: null})
    expect(healthy).to.equal(mend.length === 0)
    expect(run.code, run.stderr).to.equal(healthy ? 0 : 9)
    return {code: run.code, found: Object.fromEntries(findings.map((f) => [f.id, f])), mend}
  }

  it('says of a healthy cluster that there is nothing to mend, and exits 0', async () => {
    const {code, stdout, stderr} = await doctor({FELHOM_STATE: '/nonexistent/state'})
    expect(stdout.split('\n')).to.deep.equal([
      'ok    Settings          no settings file; flags and variables only',
      'ok    State directory   /nonexistent/state will be made at the first apply',
      'ok    API token         root@pam!felhom, from the variable FELHOM_TOKEN',
      `ok    Endpoint and TLS  ${sandbox.url} is Proxmox VE 9.1.10`,
      'ok    Privileges        enough to plan and to apply changes of guests',
      'ok    Quorum            cluster lab is quorate',
      'ok    Nodes             pve, pve2',
      'ok    Guests            6 guests, every config readable',
      'ok    Clock             agrees with the node within a minute',
      '',
      'Nothing to mend.',
      '',
    ])
    expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
  })

  it('notes of a token that may only read that it is no good for apply, and exits 0', async () => {
    const {found} = await examine({FELHOM_TOKEN: sandbox.tokens.ro})
    expect(found['privileges']?.verdict).to.equal('note')
    expect(found['privileges']?.detail).to.contain('--for apply')
  })

  it('prints pveum lines which, once followed, leave nothing to mend', async () => {
    const env = {FELHOM_TOKEN: sandbox.tokens.ro}
    const text = await doctor(env, ['--for', 'apply'])
    expect(text.code).to.equal(9)
    expect(text.stdout).to.contain(`pveum acl modify / --tokens 'ro@pve!audit' --roles Felhom`)
    expect(text.stdout).to.match(/One thing to mend\.\n$/)
    for (const line of text.stdout.split('\n')) expect(line.length, line).to.be.at.most(80)

    await followPveum(sandbox, text.stdout)
    const healed = await examine(env, ['--for', 'apply'])
    expect(healed.mend).to.deep.equal([])
    expect(healed.found['privileges']?.verdict).to.equal('ok')
  })

  it('does the same for a token that may do nothing at all', async () => {
    const env = {FELHOM_TOKEN: 'nobody@pve!none=44444444-5555-6666-7777-888888888888'}
    const {mend, found} = await examine(env)
    expect(mend).to.deep.equal(['privileges', 'quorum', 'guests'])
    await followPveum(sandbox, (found['privileges']?.commands ?? []).join('\n'))
    expect((await examine(env)).mend).to.deep.equal([])
  })

  it('names a token file that others may read, and a token that is missing, and asks no further', async () =>
    inScratch(async (scratch) => {
      const file = join(scratch, 'token')
      writeFileSync(file, sandbox.tokens.full)
      chmodSync(file, 0o644)
      const [loose, missing] = await Promise.all([
        examine({FELHOM_TOKEN: undefined, FELHOM_TOKEN__FILE: file}),
        examine({FELHOM_TOKEN: undefined}),
      ])
      expect(loose.mend).to.deep.equal(['token'])
      expect(loose.found['token']?.detail).to.equal(`${file} has mode 0644: others may read or change it`)
      expect(loose.found['token']?.advice).to.equal(`chmod 600 ${file}`)
      expect(missing.mend).to.deep.equal(['token'])
      expect(missing.found['token']?.detail).to.equal('no API token is configured')
      for (const id of ALL.slice(3)) expect(missing.found[id]?.verdict).to.equal('skipped')
      chmodSync(file, 0o600)
      expect((await examine({FELHOM_TOKEN: undefined, FELHOM_TOKEN__FILE: file})).mend).to.deep.equal([])
    }))

  it('names a state directory that others may enter, and looks at the rest all the same', () =>
    inScratch(async (scratch) => {
      const state = join(scratch, 'my state')
      mkdirSync(state)
      chmodSync(state, 0o755)
      const {mend, found} = await examine({FELHOM_STATE: state})
      expect(mend).to.deep.equal(['state'])
      expect(found['state']?.commands).to.deep.equal([`chmod 700 '${state}'`])
      expect(found['guests']?.verdict).to.equal('ok')
    }))

  it('names a settings file that others may change, and mistakes in it, but not a link to one', () =>
    inScratch(async (scratch) => {
      const [loose, wrong, linked] = ['loose', 'wrong', 'linked'].map((name) => join(scratch, name)) as [
        string,
        string,
        string,
      ]
      for (const path of [loose, wrong, linked]) mkdirSync(path)
      writeFileSync(join(loose, 'felhom.yaml'), 'felhom: 1\n')
      chmodSync(join(loose, 'felhom.yaml'), 0o666)
      writeFileSync(join(wrong, 'felhom.yaml'), 'felhom: 1\nendpont: https://x:8006\nlimits: {reads: 99}\n')
      writeFileSync(join(scratch, 'real.yaml'), 'felhom: 1\n', {mode: 0o644})
      symlinkSync(join(scratch, 'real.yaml'), join(linked, 'felhom.yaml'))
      const [a, b, c] = await Promise.all([
        examine({}, [], loose),
        examine({}, [], wrong),
        examine({}, [], linked),
      ])
      expect(a.mend).to.deep.equal(['settings'])
      expect(a.found['settings']?.commands).to.deep.equal([`chmod go-w ${join(loose, 'felhom.yaml')}`])
      expect(b.mend).to.deep.equal(['settings'])
      expect(b.found['settings']?.detail).to.equal(
        `2 mistakes, the first in ${join(wrong, 'felhom.yaml')}:2: there is no setting 'endpont'`,
      )
      expect(c.mend).to.deep.equal([])
    }))

  it('names an offline node, with the guests that are unknown for it, and a lost quorum', async () => {
    await sandbox.control({node: 'pve2', online: false})
    await sandbox.control({quorate: false})
    const {mend, found} = await examine()
    expect(mend).to.deep.equal(['quorum', 'nodes', 'guests'])
    expect(found['quorum']?.commands).to.deep.equal(['pvecm status'])
    expect(found['nodes']?.detail).to.equal('pve2 offline, of pve, pve2')
    expect(found['guests']?.detail).to.contain('Node pve2 is offline')
  })

  it('notes locked guests as something to know, not to mend', async () => {
    await sandbox.control({lock: 'backup', kind: 'lxc', vmid: 101})
    const {mend, found} = await examine()
    expect(mend).to.deep.equal([])
    expect(found['guests']).to.deep.include({verdict: 'note'})
    expect(found['guests']?.detail).to.contain('lxc/101 (backup)')
  })

  it('names a certificate that is not trusted, and a CA file that is not there', async () => {
    const [pinned, noFile] = await Promise.all([
      examine({FELHOM_TLS__CA: undefined, FELHOM_TLS__FINGERPRINTS: `${'AB:'.repeat(31)}AB`}),
      examine({FELHOM_TLS__CA: join(dir, 'no-such.pem')}),
    ])
    expect(pinned.mend).to.deep.equal(['endpoint'])
    expect(pinned.found['endpoint']?.detail).to.contain('not pinned')
    expect(pinned.found['guests']?.verdict).to.equal('skipped')
    expect(noFile.mend).to.deep.equal(['endpoint'])
    expect(noFile.found['endpoint']?.detail).to.contain('no-such.pem cannot be read (ENOENT)')
  })

  it('names a CA that did not sign the certificate, and a node that is not there', async () => {
    const other = await startSandboxProcess('--seed', join(dir, 'seed.json'))
    try {
      const {mend, found} = await examine({FELHOM_TLS__CA: other.caFile})
      expect(mend).to.deep.equal(['endpoint'])
      expect(found['endpoint']?.detail).to.contain('is not trusted')
      expect(found['endpoint']?.advice).to.contain('pve-root-ca.pem')
    } finally {
      await other.stop()
    }
    const gone = await examine({FELHOM_ENDPOINT: other.url, FELHOM_LIMITS__TIMEOUT: '1s'})
    expect(gone.mend).to.deep.equal(['endpoint'])
    expect(gone.found['endpoint']?.detail).to.contain('no connection to')
  })

  it('blames the token, not the way, when Proxmox refuses the token', async () => {
    await sandbox.control({fault: {method: 'GET', path: '/version', kind: 'status', status: 401, times: 9}})
    const {mend, found} = await examine()
    expect(mend).to.deep.equal(['token'])
    expect(found['token']?.detail).to.contain('401')
    expect(found['endpoint']?.detail).to.equal(`${sandbox.url} answers, and is trusted`)
    expect(found['guests']?.verdict).to.equal('skipped')
  })

  it('goes on after a question that Proxmox does not answer', async () => {
    await sandbox.control({fault: {path: '/access/permissions', kind: 'status', status: 501, times: 9}})
    const privileges = await examine()
    expect(privileges.mend).to.deep.equal(['privileges', 'guests'])
    expect(privileges.found['nodes']?.verdict).to.equal('ok')

    await sandbox.reset()
    await sandbox.control({fault: {method: 'GET', path: '/nodes', kind: 'status', status: 501, times: 9}})
    const nodes = await examine()
    expect(nodes.mend).to.deep.equal(['guests'])
    expect(nodes.found['privileges']?.verdict).to.equal('ok')
    expect(nodes.found['quorum']?.verdict).to.equal('skipped')
  })

  it('names a clock that differs by more than a minute', async () => {
    const skewed = (ms: number): NodeJS.ProcessEnv => ({
      NODE_OPTIONS: `--import=data:text/javascript,const%20now=Date.now;Date.now=()=>now()+${ms}`,
    })
    const [ahead, close] = await Promise.all([examine(skewed(-180_000)), examine(skewed(30_000))])
    expect(ahead.mend).to.deep.equal(['clock'])
    expect(ahead.found['clock']?.detail).to.match(/differ by 1(?:79|80|81) s$/)
    expect(close.mend).to.deep.equal([])
  })

  it('says what is missing when the endpoint is not configured at all', async () => {
    const run = await runFelhom(['doctor'], {env: {FELHOM_TOKEN: sandbox.tokens.full}, cwd: dir})
    expect(run.code).to.equal(9)
    expect(run.stdout).to.match(/^MEND {2}Endpoint and TLS {2}no endpoint is configured$/m)
    expect(run.stdout).to.contain('felhom sandbox')
  })
})

/** Does through the API what the `pveum` lines of a text would do on a node. */
async function followPveum(sandbox: SandboxProcess, text: string): Promise<void> {
  const lines = text.replaceAll(/ \\\n */g, ' ').split('\n')
  for (const line of lines.map((l) => l.trim()).filter((l) => l.startsWith('pveum '))) {
    const words = (line.match(/"[^"]*"|'[^']*'|[^ ]+/g) ?? []).map((w) => w.replace(/^(["'])(.*)\1$/, '$2'))
    const [, what = '', verb = '', subject = '', ...flags] = words
    const params: Record<string, string> = {}
    for (let i = 0; i < flags.length; i += 2) params[(flags[i] ?? '').replace(/^--/, '')] = flags[i + 1] ?? ''
    if (`${what} ${verb}` === 'role add') {
      await sandbox.call('POST', '/access/roles', {roleid: subject, ...params})
    } else {
      expect(`${what} ${verb}`).to.equal('acl modify')
      await sandbox.call('PUT', '/access/acl', {path: subject, ...params})
    }
  }
}

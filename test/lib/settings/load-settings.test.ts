import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {definitions, variableOf} from '../../../src/lib/settings/definitions.ts'
import {loadSettings, type LoadedSettings} from '../../../src/lib/settings/load-settings.ts'

describe('settings', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-settings-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const write = (path: string, text: string): void => {
    mkdirSync(join(dir, path, '..'), {recursive: true})
    writeFileSync(join(dir, path), text)
  }
  const load = (env: NodeJS.ProcessEnv = {}, more = {}): Promise<LoadedSettings> =>
    loadSettings({cwd: join(dir, 'project'), env: {XDG_CONFIG_HOME: join(dir, 'xdg'), ...env}, ...more})
  const codes = (loaded: LoadedSettings): string[] => loaded.diagnostics.map((d) => d.code)

  it('has usable defaults and no endpoint without any file', async () => {
    const {settings, diagnostics} = await load()
    expect(diagnostics).to.deep.equal([])
    expect(settings.endpoints).to.deep.equal([])
    expect(settings.limits).to.deep.equal({
      reads: 8,
      writesPerNode: 4,
      timeoutMs: 40_000,
      taskTimeoutMs: 3_600_000,
    })
    expect(settings.recover.settleMs).to.equal(45_000)
    expect(settings.daemon.mode).to.equal('observe')
    expect(settings.state).to.equal(join(dir, 'project/.felhom'))
  })

  it('reads every key of the documented example', async () => {
    write(
      'project/felhom.yaml',
      `felhom: 1
endpoint: https://pve1.example:8006
token: {file: /etc/felhom/token}
tls: {ca: pve-root-ca.pem}
desired: guests/
state: .felhom/
trust: {dir: trust/, genesis: "sha256:${'a'.repeat(64)}"}
approvals: approvals/
gate: {max_destroy: 1}
limits: {reads: 8, writes_per_node: 4}
recover: {settle: 45s}
daemon: {interval: 60s, mode: observe, max_shrink: 0.2, listen: "127.0.0.1:9610",
         windows: [{cron: "0 2 * * *", duration: 2h, timezone: Europe/Budapest}], webhook: {url: "https://hooks.example/felhom"}}
plugins: {allow: [felhom-plugin-csv]}
`,
    )
    const {settings, diagnostics} = await load()
    expect(diagnostics).to.deep.equal([])
    expect(settings.endpoints).to.deep.equal(['https://pve1.example:8006'])
    expect(settings.tls.ca).to.equal(join(dir, 'project/pve-root-ca.pem'))
    expect(settings.desired).to.deep.equal({paths: [join(dir, 'project/guests')]})
    expect(settings.daemon.windows).to.deep.equal([
      {cron: '0 2 * * *', durationMs: 7_200_000, timezone: 'Europe/Budapest'},
    ])
    expect(settings.plugins.allow).to.deep.equal(['felhom-plugin-csv'])
  })

  it('lets flag win over variable over project file over XDG file', async () => {
    write('project/felhom.yaml', 'felhom: 1\nlimits: {reads: 3}\n')
    write(
      'xdg/felhom/felhom.yaml',
      'felhom: 1\nlimits: {reads: 4, writes_per_node: 2}\ngate: {max_destroy: 5}\n',
    )
    expect((await load()).settings.limits).to.include({reads: 3, writesPerNode: 2})
    expect((await load({FELHOM_LIMITS__READS: '5'})).settings.limits.reads).to.equal(5)
    const flags = {'limits.reads': {flag: '--reads', raw: '6'}}
    const loaded = await load({FELHOM_LIMITS__READS: '5'}, {flags})
    expect(loaded.settings.limits.reads).to.equal(6)
    expect(loaded.entries.get('limits.reads')?.origin).to.deep.equal({from: 'flag', name: '--reads'})
    expect(loaded.entries.get('gate.max_destroy')?.origin).to.deep.include({from: 'file', line: 3})
  })

  it('puts aside the token of a lower layer as a whole', async () => {
    write('project/felhom.yaml', 'felhom: 1\ntoken: {env: MY_TOKEN}\n')
    write('xdg/felhom/felhom.yaml', 'felhom: 1\ntoken: {file: token}\n')
    expect((await load()).settings.token).to.deep.equal({env: 'MY_TOKEN'})
  })

  it('puts aside the pins of a lower layer when a higher one names a CA', async () => {
    write('project/felhom.yaml', `felhom: 1\ntls: {fingerprints: ["${'AB:'.repeat(31)}AB"]}\n`)
    const {settings} = await load({FELHOM_TLS__CA: '/ca.pem'})
    expect(settings.tls).to.deep.equal({ca: '/ca.pem', fingerprints: []})
  })

  it('takes --config in place of the project file, and its paths relative to that file', async () => {
    write('project/felhom.yaml', 'felhom: 1\ndesired: here\n')
    write('other/conf.yaml', 'felhom: 1\ndesired: there\n')
    const {settings} = await load({}, {configFile: '../other/conf.yaml'})
    expect(settings.desired).to.deep.equal({paths: [join(dir, 'other/there')]})
    expect(settings.state).to.equal(join(dir, 'other/.felhom'))
  })

  it('says that a file named by --config is missing', async () => {
    expect(codes(await load({}, {configFile: 'nowhere.yaml'}))).to.deep.equal(['unreadable'])
  })

  it('tells all mistakes at once, each in its place, with what was probably meant', async () => {
    write(
      'project/felhom.yaml',
      'felhom: 1\nendpiont: https://pve1.example:8006\nlimits: {reads: 99}\ntls: pve.pem\n',
    )
    const {diagnostics} = await load()
    expect(diagnostics.map(({code, line, column}) => ({code, line, column}))).to.deep.equal([
      {code: 'unknown_key', line: 2, column: 1},
      {code: 'wrong_value', line: 3, column: 17},
      {code: 'wrong_value', line: 4, column: 6},
    ])
    expect(diagnostics[0]).to.include({
      suggestion: 'endpoint',
      sourceLine: 'endpiont: https://pve1.example:8006',
    })
    expect(diagnostics[1]?.expected).to.equal('a whole number from 1 to 16')
  })

  it('takes a repository as relative to the file where it is written as a path', async () => {
    for (const [git, expected] of [
      ['../guests.git', join(dir, 'guests.git')],
      ['git@git.example:guests.git', 'git@git.example:guests.git'],
      ['https://git.example/guests.git', 'https://git.example/guests.git'],
    ]) {
      write('project/felhom.yaml', `felhom: 1\ndesired: {git: "${git}", branch: main}\n`)
      expect((await load()).settings.desired).to.deep.equal({git: expected, branch: 'main'})
    }
  })

  it('says that guests belong in a desired-state file', async () => {
    write('project/felhom.yaml', 'felhom: 1\nguests: {101: {kind: lxc}}\n')
    expect(codes(await load())).to.deep.equal(['desired_in_settings'])
  })

  it('demands the version line', async () => {
    write('project/felhom.yaml', 'endpoint: https://pve1.example:8006\n')
    expect(codes(await load())).to.deep.equal(['version'])
    write('project/felhom.yaml', 'felhom: 2\n')
    expect(codes(await load())).to.deep.equal(['version'])
  })

  it('refuses an endpoint that is not https, that carries a password or a path', async () => {
    for (const endpoint of [
      'http://pve1:8006',
      'https://root:secret@pve1:8006',
      'https://pve1:8006/api2',
      'pve1',
    ]) {
      expect(codes(await load({FELHOM_ENDPOINT: endpoint})), endpoint).to.deep.equal(['wrong_value'])
    }
  })

  it('keeps port 443 where it is written, for a proxy in front of Proxmox', async () => {
    const endpoint = async (text: string): Promise<string[]> =>
      (await load({FELHOM_ENDPOINT: text})).settings.endpoints
    expect(await endpoint('https://pve1.example:443/')).to.deep.equal(['https://pve1.example:443'])
    expect(await endpoint('https://pve1.example')).to.deep.equal(['https://pve1.example'])
  })

  it('masks a secret that stands where none belongs, in every line that it shows', async () => {
    const secret = '0badcafe-0000-4000-8000-00c0ffee0000'
    write(
      'project/felhom.yaml',
      `felhom: 1\ntoken: root@pam!felhom=${secret}\nendpoint: https://root:${secret}@pve1:8006\n`,
    )
    const {diagnostics} = await load()
    expect(diagnostics.map((d) => d.line)).to.deep.equal([2, 3])
    expect(JSON.stringify(diagnostics)).to.not.contain(secret)
    expect(diagnostics[0]?.sourceLine).to.equal(`token: root@pam!felhom=${'*'.repeat(secret.length)}`)
    write('project/felhom.yaml', `token: {file: [root@pam!felhom=${secret}\n`)
    expect(JSON.stringify((await load()).diagnostics)).to.not.contain(secret)
  })

  it('refuses an interval that would leave Proxmox no rest', async () => {
    write('project/felhom.yaml', 'felhom: 1\ndaemon: {interval: 5ms}\n')
    const [mistake, ...more] = (await load()).diagnostics
    expect(mistake).to.include({code: 'wrong_value', expected: 'a duration of 1s or more'})
    expect(more).to.deep.equal([])
    write('project/felhom.yaml', 'felhom: 1\ndaemon: {interval: 1s}\n')
    expect((await load()).settings.daemon.intervalMs).to.equal(1000)
  })

  it('refuses durations that no timer and no calendar can hold', async () => {
    for (const [text, expected] of [
      ['daemon: {interval: 99999999d}', 'a duration of a hundred years or less'],
      ['daemon: {back_off_max: 1e400d}', 'a duration of a hundred years or less'],
      ['limits: {timeout: 30d}', 'a duration of 1d or less'],
    ]) {
      write('project/felhom.yaml', `felhom: 1\n${text}\n`)
      expect((await load()).diagnostics[0], text).to.include({code: 'wrong_value', expected})
    }
  })

  it('refuses durations without a unit and negative ones', async () => {
    for (const text of ['5', '-5m', ' ', 'soon', '0s']) {
      expect(codes(await load({FELHOM_RECOVER__SETTLE: text})), text).to.deep.equal(['wrong_value'])
    }
    expect((await load({FELHOM_RECOVER__SETTLE: '1m30s'})).settings.recover.settleMs).to.equal(90_000)
  })

  it('notices a misspelt variable but not its own reserved ones', async () => {
    const loaded = await load({FELHOM_LIMITS__READ: '3', FELHOM_TOKEN: 'a@b!c=d'})
    expect(loaded.diagnostics).to.have.length(1)
    expect(loaded.diagnostics[0]).to.include({code: 'unknown_variable', suggestion: 'FELHOM_LIMITS__READS'})
  })

  it('has one variable per key, all different', () => {
    const names = definitions.map((d) => variableOf(d.key))
    expect(new Set(names).size).to.equal(definitions.length)
    expect(variableOf('tls.ca')).to.equal('FELHOM_TLS__CA')
  })
})

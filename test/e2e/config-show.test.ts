// `felhom config show`: which value wins, where it came from, and what is said about mistakes.
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {runFelhom, type Run} from '../support/felhom.ts'

interface Row {
  key: string
  value: unknown
  text: string
  origin: string
}

const SECRET = '0badcafe-0000-4000-8000-00c0ffee0000'

describe('felhom config show', () => {
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  const [project, xdg, home] = ['project', 'xdg', 'home'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ]
  const other = join(dir, 'other/settings.yaml')
  before(() => {
    for (const path of [project, join(xdg, 'felhom'), join(home, '.config/felhom'), join(dir, 'other')]) {
      mkdirSync(path, {recursive: true})
    }
    writeFileSync(
      join(project, 'felhom.yaml'),
      'felhom: 1\nendpoint: https://project:8006\ntls: {ca: ca.pem}\nlimits:\n  reads: 3\n',
    )
    writeFileSync(
      join(xdg, 'felhom/felhom.yaml'),
      'felhom: 1\nendpoint: https://xdg:8006\nlimits: {reads: 4, writes_per_node: 2}\ngate: {max_destroy: 5}\n',
    )
    writeFileSync(join(home, '.config/felhom/felhom.yaml'), 'felhom: 1\ngate: {max_destroy: 7}\n')
    writeFileSync(other, 'felhom: 1\nendpoint: https://other:8006\nstate: var\n')
  })
  after(() => {
    rmSync(dir, {recursive: true})
  })

  const show = (args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Run> =>
    runFelhom(['config', 'show', ...args], {env: {XDG_CONFIG_HOME: xdg, ...env}, cwd: project})

  const rows = async (args: string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Record<string, Row>> => {
    const {code, stdout, stderr} = await show(['--json', ...args], env)
    expect(code, stderr).to.equal(0)
    const {result} = JSON.parse(stdout) as {result: {settings: Row[]}}
    return Object.fromEntries(result.settings.map((row) => [row.key, row]))
  }

  it('takes each key from the first that has it: environment, project file, XDG file, default', async () => {
    const found = await rows([], {FELHOM_LIMITS__READS: '9'})
    const origins = Object.fromEntries(
      Object.entries(found).map(([key, {value, origin}]) => [key, [value, origin]]),
    )
    expect(origins).to.deep.include({
      'limits.reads': [9, 'environment FELHOM_LIMITS__READS'],
      endpoint: [['https://project:8006'], `${join(project, 'felhom.yaml')}:2`],
      'tls.ca': [join(project, 'ca.pem'), `${join(project, 'felhom.yaml')}:3`],
      'limits.writes_per_node': [2, `${join(xdg, 'felhom/felhom.yaml')}:3`],
      'gate.max_destroy': [5, `${join(xdg, 'felhom/felhom.yaml')}:4`],
      'recover.settle': [45_000, 'default'],
      'trust.genesis': [null, 'not set'],
    })
  })

  it('reads --config in place of the project file, with paths relative to it', async () => {
    const found = await rows(['--config', '../other/settings.yaml'])
    expect(found['endpoint']).to.deep.include({value: ['https://other:8006'], origin: `${other}:2`})
    expect(found['state']).to.deep.include({value: join(dir, 'other/var'), origin: `${other}:3`})
    expect(found['limits.reads']).to.deep.include({value: 4, origin: `${join(xdg, 'felhom/felhom.yaml')}:3`})
    expect(found['tls.ca']).to.deep.include({value: null, origin: 'not set'})
  })

  it('looks below ~/.config where no XDG directory is set, and takes paths of variables from here', async () => {
    const found = await rows([], {XDG_CONFIG_HOME: undefined, HOME: home, FELHOM_STATE: 'here'})
    expect(found['gate.max_destroy']?.origin).to.equal(`${join(home, '.config/felhom/felhom.yaml')}:2`)
    expect(found['state']).to.deep.include({value: join(project, 'here'), origin: 'environment FELHOM_STATE'})
  })

  it('puts aside what a higher layer replaces by another way', async () => {
    const pin = `${'AB:'.repeat(31)}AB`
    const found = await rows([], {FELHOM_TLS__FINGERPRINTS: pin})
    expect(found['tls.ca']?.origin).to.equal('not set')
    expect(found['tls.fingerprints']?.value).to.deep.equal([pin])
  })

  it('prints aligned lines, with their origin when asked', async () => {
    const [plain, origin] = await Promise.all([show(), show(['--origin'])])
    expect(plain.stdout).to.match(/^endpoint {16}https:\/\/project:8006$/m)
    expect(plain.stdout).to.not.contain('trust.genesis').and.not.contain('default')
    expect(origin.stdout).to.match(/^limits\.reads {12}3 +\/.*felhom\.yaml:5$/m)
    expect(origin.stdout).to.match(/^trust\.genesis +- +not set$/m)
    expect(plain.stderr + origin.stderr).to.equal('')
  })

  it('shows where the token is kept and never the token', async () => {
    const env = {FELHOM_TOKEN: `root@pam!felhom=${SECRET}`}
    const [text, json] = await Promise.all([show(['--origin'], env), show(['--json'], env)])
    expect(text.stdout).to.match(/^token\.env +FELHOM_TOKEN +default$/m)
    for (const run of [text, json]) expect(run.stdout + run.stderr).to.not.contain(SECRET)
    const named = await show(['--origin'], {
      ...env,
      FELHOM_TOKEN__ENV: 'OTHER',
      OTHER: `root@pam!x=${SECRET}`,
    })
    expect(named.stdout).to.match(/^token\.env +OTHER +environment FELHOM_TOKEN__ENV$/m)
    expect(named.stdout).to.not.contain(SECRET)
  })

  it('lists every mistake with its place, a caret and what was meant, and exits 65', async () => {
    const bad = join(dir, 'bad.yaml')
    writeFileSync(bad, 'felhom: 1\nendpont: https://a:8006\nlimits: {reads: 99}\nguests: {}\n')
    const {code, stdout, stderr} = await show(['--config', bad], {FELHOM_LIMITS__TIMEOUT: 'soon'})
    expect({code, stdout}).to.deep.equal({code: 65, stdout: ''})
    expect(stderr).to.equal(`Error: The settings hold 4 mistakes.

environment FELHOM_LIMITS__TIMEOUT: 'limits.timeout' has a value that felhom cannot use
  expected: a duration with its unit, such as 45s or 2h

${bad}:2:1: there is no setting 'endpont'
  2 | endpont: https://a:8006
    | ^^^^^^^
  did you mean: endpoint

${bad}:3:17: 'limits.reads' has a value that felhom cannot use
  3 | limits: {reads: 99}
    |                 ^^
  expected: a whole number from 1 to 16

${bad}:4:1: this is a settings file, and 'guests' belongs in a desired-state file
  4 | guests: {}
    | ^^^^^^
  expected: a file of its own for guests, named by the setting 'desired'

Nothing was read from Proxmox and nothing was changed.
`)
  })

  it('puts the mistakes into the envelope, and does not repeat a secret that stands in a wrong place', async () => {
    const bad = join(dir, 'secret.yaml')
    writeFileSync(bad, `felhom: 1\nendpoint: https://root:${SECRET}@a:8006\n`)
    const [json, missing] = await Promise.all([
      show(['--json', '--config', bad]),
      show(['--config', join(dir, 'no-such.yaml')]),
    ])
    const {error} = JSON.parse(json.stdout) as {
      error: {code: string; diagnostics: {file: string; line: number; column: number}[]}
    }
    expect(json.code).to.equal(65)
    expect(error.code).to.equal('settings_invalid')
    expect(error.diagnostics[0]).to.deep.include({file: bad, line: 2, column: 11})
    expect(json.stdout).to.not.contain(SECRET)
    expect(missing.code).to.equal(65)
    expect(missing.stderr).to.contain(`${join(dir, 'no-such.yaml')}: the file does not exist`)
  })

  it('is what every command says about mistakes, before it asks Proxmox for anything', async () => {
    const runs = await Promise.all(
      ['guests', 'capture'].map((name) =>
        runFelhom([name], {env: {FELHOM_LIMITS__READS: 'x'}, cwd: project}),
      ),
    )
    for (const {code, stderr} of runs) {
      expect(code).to.equal(65)
      expect(stderr).to.contain('environment FELHOM_LIMITS__READS')
    }
  })
})

// `felhom import` and `felhom schema` as people run them: what is imported plans to nothing, and a file that
// somebody may have edited is not written over by accident.
import {existsSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {RECORDED_SEED} from '../support/seed-file.ts'

const NO_CHANGES = 'No changes. Your guests match the desired state.'

describe('felhom import', () => {
  let sandbox: SandboxProcess
  before(async () => {
    sandbox = await startSandboxProcess('--seed', RECORDED_SEED)
  })
  after(() => sandbox.stop())
  afterEach(() => sandbox.reset())

  const felhom = (cwd: string, ...args: string[]): Promise<Run> => runFelhom(args, {env: sandbox.env, cwd})

  it('writes a file with which the next plan is empty, live and against a capture', () =>
    inScratch(async (dir) => {
      const written = await felhom(dir, 'import', '--out', 'guests.yaml')
      expect(written).to.deep.equal({code: 0, stdout: '6 guests written to guests.yaml\n', stderr: ''})
      expect(statSync(join(dir, 'guests.yaml')).mode & 0o777).to.equal(0o600)
      await felhom(dir, 'capture', '--out', 'cluster.json')
      for (const source of [[], ['--against', 'cluster.json']]) {
        const plan = await felhom(dir, 'plan', '--detailed-exitcode', '--desired', 'guests.yaml', ...source)
        expect(plan.code, plan.stdout + plan.stderr).to.equal(0)
        expect(plan.stdout).to.contain(NO_CHANGES)
      }
    }))

  it('writes what is pending as it will be, and plans nothing for it', () =>
    inScratch(async (dir) => {
      await sandbox.call('PUT', '/nodes/pve/lxc/101/config', {timezone: 'Europe/Budapest'})
      const {stdout} = await felhom(dir, 'import', 'lxc/101')
      expect(stdout).to.contain('timezone: Europe/Budapest # pending: takes effect with the next start\n')
      writeFileSync(join(dir, 'guests.yaml'), stdout)
      const plan = await felhom(dir, 'plan', '--detailed-exitcode', '--desired', 'guests.yaml')
      expect(plan.code, plan.stdout).to.equal(0)
    }))

  it('prints the named guests alone, as text and in the envelope', () =>
    inScratch(async (dir) => {
      const [text, json] = await Promise.all([
        felhom(dir, 'import', '200', 'lxc/101'),
        felhom(dir, 'import', '200', 'lxc/101', '--json'),
      ])
      expect(text.stdout).to.match(/\n {2}101: # media on pve\n[^]*\n\n {2}200: # vm-web on pve\n/)
      const {ok, result} = JSON.parse(json.stdout) as {ok: boolean; result: {guests: string[]; yaml: string}}
      expect({ok, guests: result.guests}).to.deep.equal({ok: true, guests: ['lxc/101', 'qemu/200']})
      expect(result.yaml).to.equal(text.stdout)
    }))

  it('refuses to write over a file, a link or a wrong guest, and exits 64', () =>
    inScratch(async (dir) => {
      const file = join(dir, 'guests.yaml')
      writeFileSync(file, 'mine')
      symlinkSync('nowhere', join(dir, 'link.yaml'))
      const [taken, linked, missing, alone] = await Promise.all([
        felhom(dir, 'import', '--out', 'guests.yaml'),
        felhom(dir, 'import', '--out', 'link.yaml'),
        felhom(dir, 'import', '999', '--out', 'new.yaml'),
        felhom(dir, 'import', '--force'),
      ])
      for (const run of [taken, linked, missing, alone]) expect(run.code, run.stderr).to.equal(64)
      expect(taken.stderr).to.contain('exists already').and.contain('--force')
      expect(missing.stderr).to.contain('there is no guest 999')
      expect(readFileSync(file, 'utf8')).to.equal('mine')
      expect(existsSync(join(dir, 'new.yaml'))).to.equal(false)
      const forced = await felhom(dir, 'import', '--out', 'guests.yaml', '--force')
      expect(forced.code).to.equal(0)
      expect(readFileSync(file, 'utf8')).to.match(/^# Written by felhom import/)
    }))

  it('imports the example homelab of the sandbox without any settings', () =>
    inScratch(async (dir) => {
      const bare = (...args: string[]): Promise<Run> => runFelhom(args, {cwd: dir})
      const {code} = await bare('import', '--sandbox', '--out', 'guests.yaml')
      expect(code).to.equal(0)
      const plan = await bare('plan', '--sandbox', '--detailed-exitcode', '--desired', 'guests.yaml')
      expect(plan.code, plan.stdout).to.equal(0)
    }))
})

describe('felhom schema', () => {
  it('prints the schema that stands beside the example, and writes it to a file', () =>
    inScratch(async (dir) => {
      const committed = readFileSync(
        fileURLToPath(new URL('../../examples/homelab/felhom.schema.json', import.meta.url)),
        'utf8',
      )
      const [printed, written] = await Promise.all([
        runFelhom(['schema'], {cwd: dir}),
        runFelhom(['schema', '--out', 'felhom.schema.json'], {cwd: dir}),
      ])
      expect(printed.stdout === committed, 'stdout is the committed schema').to.equal(true)
      expect(written.stdout).to.equal('The schema is in felhom.schema.json\n')
      expect(readFileSync(join(dir, 'felhom.schema.json'), 'utf8') === committed).to.equal(true)
    }))
})

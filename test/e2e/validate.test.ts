// `felhom validate` as CI runs it: no settings, no token, no network.
import {spawn} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {bareEnvironment, BIN, inScratch, runFelhom} from '../support/felhom.ts'

const FIXTURES = new URL('../fixtures/validation/', import.meta.url)
const fixture = (name: string): string => readFileSync(new URL(name, FIXTURES), 'utf8')

const inProject = (work: (dir: string) => Promise<void>): Promise<void> =>
  inScratch(async (dir) => {
    mkdirSync(join(dir, 'guests'))
    writeFileSync(join(dir, 'guests/ten-mistakes.yaml'), fixture('ten-mistakes.yaml'))
    writeFileSync(join(dir, 'good.yaml'), 'felhom: 1\nguests: {101: {kind: lxc, config: {cores: 2}}}\n')
    await work(dir)
  })

/** What it says when this comes from a pipe. */
function pipe(text: string, args: string[]): Promise<{code: number | null; stdout: string}> {
  const child = spawn(process.execPath, [BIN, ...args], {env: bareEnvironment()})
  let stdout = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stdin.end(text)
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({code, stdout})
    })
  })
}

describe('felhom validate', () => {
  it('says that there are no mistakes, and exits 0', () =>
    inProject(async (cwd) => {
      const run = await runFelhom(['validate', 'good.yaml'], {cwd})
      expect(run).to.deep.equal({code: 0, stdout: '1 file, 1 guest, no mistakes\n', stderr: ''})
    }))

  it('tells ten mistakes in each form, and exits 65', () =>
    inProject(async (cwd) => {
      const forms = ['text', 'github', 'sarif', 'junit'] as const
      const goldens = [
        'ten-mistakes.txt',
        'ten-mistakes.github.txt',
        'ten-mistakes.sarif',
        'ten-mistakes.junit.xml',
      ]
      const runs = await Promise.all(
        forms.map((form) => runFelhom(['validate', 'guests', '--output', form], {cwd})),
      )
      for (const [i, {code, stdout, stderr}] of runs.entries()) {
        expect({code, stderr}, forms[i]).to.deep.equal({code: 65, stderr: ''})
        const steady = stdout
          .replace(/timestamp="[^"]*"/g, 'timestamp="2026-11-18T04:05:06"')
          .replace(/"version": "\d+\.\d+\.\d+"(?=,\n {10}"rules")/, '"version": "1.2.3"')
        expect(steady, forms[i]).to.equal(fixture(goldens[i] ?? ''))
      }
    }))

  it('prints the same envelope for --json and --output json', () =>
    inProject(async (cwd) => {
      const [flag, form, good] = await Promise.all([
        runFelhom(['validate', 'guests', '--json'], {cwd}),
        runFelhom(['validate', 'guests', '--output', 'json'], {cwd}),
        runFelhom(['validate', 'good.yaml', '--output', 'json'], {cwd}),
      ])
      expect(flag).to.deep.equal(form)
      expect(form.code).to.equal(65)
      const {ok, error} = JSON.parse(form.stdout) as {
        ok: boolean
        error: {code: string; diagnostics: {line: number; column: number; file: string}[]}
      }
      expect(ok).to.equal(false)
      expect(error.code).to.equal('desired_invalid')
      expect(error.diagnostics).to.have.length(10)
      expect(error.diagnostics[2]).to.deep.include({file: 'guests/ten-mistakes.yaml', line: 8, column: 7})
      expect(JSON.parse(good.stdout)).to.deep.include({ok: true, result: {files: ['good.yaml'], guests: 1}})
    }))

  it('reads standard input for a dash', async () => {
    expect(await pipe('felhom: 1\nguests: {101: {kind: qemu}}\n', ['validate', '-'])).to.deep.equal({
      code: 0,
      stdout: '1 file, 1 guest, no mistakes\n',
    })
    const wrong = await pipe('felhom: 1\ngusts: {}\n', ['validate', '-', '--output', 'github'])
    expect(wrong.code).to.equal(65)
    expect(wrong.stdout).to.match(/^::error file=stdin,line=2,/)
  })

  it('takes the setting where no path is named, and many paths where they are', () =>
    inProject(async (cwd) => {
      writeFileSync(join(cwd, 'felhom.yaml'), 'felhom: 1\ndesired: [good.yaml]\n')
      writeFileSync(join(cwd, 'more.yaml'), 'felhom: 1\nguests: {102: {kind: lxc}}\n')
      const [setting, paths, variable] = await Promise.all([
        runFelhom(['validate'], {cwd}),
        runFelhom(['validate', 'good.yaml', 'more.yaml'], {cwd, env: {FELHOM_ENDPOINT: 'nonsense'}}),
        runFelhom(['validate'], {cwd, env: {FELHOM_DESIRED: 'more.yaml'}}),
      ])
      expect(setting.stdout).to.equal('1 file, 1 guest, no mistakes\n')
      expect(paths.stdout).to.equal('2 files, 2 guests, no mistakes\n')
      expect(variable.stdout).to.equal('1 file, 1 guest, no mistakes\n')
    }))

  it('says what to do when nothing is named, and refuses a form that it does not know', () =>
    inProject(async (cwd) => {
      const [nothing, form, missing] = await Promise.all([
        runFelhom(['validate'], {cwd}),
        runFelhom(['validate', 'good.yaml', '--output', 'pdf'], {cwd}),
        runFelhom(['validate', 'gone.yaml'], {cwd}),
      ])
      expect(nothing.code).to.equal(64)
      expect(nothing.stderr).to.contain('no desired state is named').and.contain('desired: guests/')
      expect(form.code).to.equal(64)
      expect(missing.code).to.equal(65)
      expect(missing.stdout).to.contain('gone.yaml: there is no such file or directory')
    }))

  it('says which file is a settings file and which is not', () =>
    inProject(async (cwd) => {
      writeFileSync(join(cwd, 'felhom.yaml'), 'felhom: 1\nendpoint: https://pve1:8006\n')
      const {code, stdout} = await runFelhom(['validate', 'felhom.yaml'], {cwd})
      expect(code).to.equal(65)
      expect(stdout).to.contain("this is a desired-state file, and 'endpoint' belongs in the settings")
    }))
})

// `felhom suspend` and `resume`: kept, and shown by everything that shows the guest.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {runFelhom, type Run} from '../support/felhom.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'

interface Envelope {
  warnings: string[]
  result: {suspensions: unknown[]; findings: {id: string; verdict: string; detail: string}[]}
}

describe('felhom suspend', () => {
  let sandbox: SandboxProcess
  const dir = mkdtempSync(join(tmpdir(), 'felhom-e2e-'))
  before(async () => {
    sandbox = await startSandboxProcess()
    writeFileSync(join(dir, 'guests.yaml'), 'felhom: 1\nguests: {101: {kind: lxc, config: {memory: 1GiB}}}\n')
    await felhom('suspend', 'lxc/101', '--reason', 'by hand', '--for', '2h')
  })
  after(async () => {
    await sandbox.stop()
    rmSync(dir, {recursive: true})
  })

  const felhom = async (...args: string[]): Promise<Run> => {
    const run = await runFelhom(args, {env: sandbox.env, cwd: dir})
    expect(run.code, `${args.join(' ')}: ${run.stderr}`).to.equal(0)
    return run
  }
  const json = async (...args: string[]): Promise<Envelope> =>
    JSON.parse((await felhom(...args, '--json')).stdout) as Envelope
  const said = ({stdout, stderr}: Run): string => `${stdout}${stderr}`.replaceAll(/\s+/g, ' ')

  it('is shown by guests, plan, journal inflight and doctor, to people and to programs', async () => {
    const plan = ['plan', '--desired', 'guests.yaml']
    expect(said(await felhom(...plan))).to.match(/Suspended for the daemon: lxc\/101 \(since .*: by hand\)/)
    expect((await json(...plan)).warnings.join()).to.contain('lxc/101')
    expect((await felhom('guests')).stdout).to.match(/^lxc +101 .*running, daemon suspended/m)
    for (const args of [['guests'], ['journal', 'inflight', '--offline']]) {
      const {result, warnings} = await json(...args)
      expect(result.suspensions[0], args.join(' ')).to.deep.include({guest: 101, reason: 'by hand'})
      expect(warnings.join()).to.contain('by hand')
    }
    const {findings} = (await json('doctor')).result
    expect(findings.find(({id}) => id === 'suspensions')).to.deep.include({verdict: 'note'})
  })

  it("keeps no operator's apply from the guest, which says so, and ends with resume", async () => {
    const apply = await felhom('apply', '--desired', 'guests.yaml', '--auto-approve')
    expect(said(apply)).to.contain('That keeps no apply of yours from it.').and.contain('1 changed')
    expect(said(await felhom('resume', '101'))).to.contain('no longer suspended')
    expect((await json('guests')).result.suspensions).to.deep.equal([])
    const audit = said(await felhom('gate', 'audit'))
    expect(audit)
      .to.match(/101 daemon suspended .*: by hand; until/)
      .and.match(/101 daemon resumed/)
  })

  it('without a guest is a mistake in the command line', async () => {
    const {code, stderr} = await runFelhom(['suspend'], {cwd: dir})
    expect(code).to.equal(64)
    expect(stderr).to.contain('nothing is named').and.contain('--all')
  })
})

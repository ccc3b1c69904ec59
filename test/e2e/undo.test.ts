// `felhom undo` as a person and a script use it: an apply, and the way back of it.
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import type {Run} from '../support/felhom.ts'
import {expectGolden} from '../support/golden.ts'

const HOMELAB = fileURLToPath(new URL('../../examples/homelab/guests.yaml', import.meta.url))

interface Line {
  type: string
  ok?: boolean
  undoes?: string | null
  remarks?: {guest: string; subject: string | null; code: string}[]
  warnings?: string[]
  result?: {run: string | null; undoes: string | null; remarks: unknown[]; counts: {changed: number}}
}

const linesOf = ({stdout}: Run): Line[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

describe('felhom undo', () => {
  let lab: ApplyLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  const undo = (...args: string[]): Promise<Run> => lab.felhom(['undo', ...args])
  const settle = async (run: Promise<Run>, code = 0): Promise<Run> => {
    const ended = await run
    expect(ended.code, ended.stdout + ended.stderr).to.equal(code)
    return ended
  }

  it('brings back what an apply of the example homelab replaced, and names the rest', async () => {
    const before = [await lab.config('lxc', 101), await lab.config('lxc', 110)]
    await settle(lab.felhom(['apply', '-d', HOMELAB, '--auto-approve']))
    const preview = await settle(undo('--dry-run'))
    expectGolden('homelab-undo.txt', preview.stdout.replace(/Undo of .*\n/, 'Undo of RUN, AGE.\n'))
    const {stdout} = await settle(undo('--auto-approve'))
    expect(stdout).to.contain('Undo complete: 3 changed.')
    const after = [await lab.config('lxc', 101), await lab.config('lxc', 110)]
    const grown = {...before[1], rootfs: after[1]?.['rootfs']}
    expect(after.map(withoutDigest)).to.deep.equal([before[0], grown].map((c) => withoutDigest(c ?? {})))
    expect(await lab.status('lxc', 160), 'what was created stays').to.equal('running')
  })

  it('leaves a state in which the plan of the old wish is empty', async () => {
    lab.wish('{101: {kind: lxc, run: running, config: {memory: 512MiB, tags: [dns, infra]}}}')
    const old = await settle(lab.plan('--detailed-exitcode'))
    expect(old.stdout).to.contain('No changes.')
    lab.wish('{101: {kind: lxc, run: stopped, config: {memory: 1GiB, tags: null, nameserver: 10.0.0.1}}}')
    await settle(lab.apply())
    expect(await lab.status('lxc', 101)).to.equal('stopped')
    await settle(undo('--auto-approve'))
    expect(await lab.status('lxc', 101)).to.equal('running')
    lab.wish(
      '{101: {kind: lxc, run: running, config: {memory: 512MiB, tags: [dns, infra], nameserver: null}}}',
    )
    await settle(lab.plan('--detailed-exitcode'))
  })

  it('is a run of its own in the journal, which can be undone too', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await settle(lab.apply())
    await settle(undo('--auto-approve'))
    const {stdout} = await settle(lab.felhom(['journal', 'list', '--json']))
    const {operations} = (JSON.parse(stdout) as {result: {operations: {run: string}[]}}).result
    const [latest, first] = operations.map(({run}) => run)
    expect(latest).to.not.equal(first)
    await settle(undo('--auto-approve'))
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
    await settle(undo(latest?.slice(-4) ?? '', '--auto-approve'))
  })

  it('changes nothing without a yes, nor with --dry-run', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await settle(lab.apply())
    const sent = await lab.mutations()
    const asked = await settle(undo(), 64)
    expect(asked.stdout).to.contain('memory = 1GiB -> 512MiB')
    expect(asked.stderr).to.contain('there is no terminal to ask on').and.contain('--auto-approve')
    await settle(undo('--dry-run'))
    expect(await lab.mutations()).to.deep.equal(sent)
    expect((await lab.config('lxc', 101))['memory']).to.equal(1024)
  })

  it('leaves alone what somebody has changed since', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB, cores: 2}}}')
    await settle(lab.apply())
    await lab.sandbox.call('PUT', '/nodes/pve1/lxc/101/config', {memory: '3072'})
    const {stdout} = await settle(undo('--auto-approve'))
    expect(stdout).to.contain('! memory was changed to 3GiB since: left alone')
    const {memory, cores} = await lab.config('lxc', 101)
    expect([memory, cores]).to.deep.equal([3072, 1])
  })

  it('warns that the files still ask for it', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB, cores: 1}}}')
    lab.write('felhom.yaml', 'felhom: 1\ndesired: guests.yaml\n')
    await settle(lab.apply())
    const {stderr} = await settle(undo('--dry-run'))
    expect(stderr.replaceAll(/\s+/g, ' ')).to.contain(
      'still asks for what is undone (memory of lxc/101): change it too',
    )
    lab.wish('{101: {kind: lxc, config: {memory: 512MiB}}}')
    expect((await settle(undo('--dry-run'))).stderr).to.equal('')
  })

  it('has nothing to undo in an empty journal, nor twice', async () => {
    expect((await settle(undo())).stdout).to.contain('Nothing to undo')
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}}')
    await settle(lab.apply())
    const {stdout} = await settle(lab.felhom(['journal', 'list', '--json']))
    const run =
      (JSON.parse(stdout) as {result: {operations: {run: string}[]}}).result.operations[0]?.run ?? ''
    await settle(undo(run, '--auto-approve'))
    const again = await settle(undo(run))
    expect(again.stdout).to.contain(`Undo of ${run}`).and.contain('Nothing to undo.')
  })

  it('undoes the targets alone, and refuses those that the run did not touch', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB}}, 110: {kind: lxc, config: {memory: 3GiB}}}')
    await settle(lab.apply())
    await settle(undo('--target', 'lxc/101', '--auto-approve'))
    expect((await lab.config('lxc', 101))['memory']).to.equal(512)
    expect((await lab.config('lxc', 110))['memory']).to.equal(3072)
    expect((await settle(undo('--target', '999'), 64)).stderr).to.contain('did nothing to 999')
  })

  it('refuses a name that means no run, before it asks anybody anything', async () => {
    expect((await settle(undo('nonsense'), 64)).stderr).to.contain('the journal has no operation or run')
  })

  it('does not bring back what would lose protection: that needs a signature', async () => {
    lab.wish('{101: {kind: lxc, config: {memory: 1GiB, protection: true}}}')
    await settle(lab.apply())
    const {stdout} = await settle(undo('--auto-approve'), 3)
    expect(stdout.replaceAll(/\s+/g, ' '))
      .to.contain('not carried out now (protection): it can lose data and needs the signature of an operator')
      .and.contain('Undo complete: 1 changed; 1 waits for a signature')
    const {memory, protection} = await lab.config('lxc', 101)
    expect([memory, protection]).to.deep.equal([512, 1])
  })

  it('speaks in lines of JSON: what it undoes, the plan, the events, the result', async () => {
    lab.wish('{110: {kind: lxc, config: {memory: 3GiB}, disks: {rootfs: {size: 24GiB}}}}')
    await settle(lab.apply())
    const lines = linesOf(await settle(undo('--auto-approve', '--json')))
    expect(lines.map(({type}) => type)).to.deep.equal([
      'undo',
      'plan',
      'run_started',
      'action_started',
      'action_ended',
      'run_ended',
      'result',
    ])
    const [head, last] = [lines[0], lines.at(-1)]
    expect(head?.remarks?.map(({guest, subject, code}) => [guest, subject, code])).to.deep.equal([
      ['lxc/110', 'rootfs', 'grown'],
    ])
    expect(last?.result?.undoes).to.equal(head?.undoes)
    expect(last?.result?.run).to.not.equal(head?.undoes)
    expect([last?.ok, last?.result?.counts.changed]).to.deep.equal([true, 1])
    expect(last?.warnings).to.have.length(1)
  })
})

function withoutDigest(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => name !== 'digest'))
}

// A git repository as the source of a daemon, from its first pass to the operator's word on a suspicious one.
import {rmSync} from 'node:fs'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import {GitLab} from '../support/git-lab.ts'
import type {Run} from '../support/felhom.ts'

const GUESTS = [101, 102, 110, 120, 130]
const yaml = (vmids: readonly number[]): string =>
  `felhom: 1\nguests:\n${vmids.map((vmid) => `  ${vmid}: {kind: lxc, ensure: present}\n`).join('')}`

describe('felhom source', () => {
  let lab: ApplyLab
  let git: GitLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(async () => {
    git = new GitLab()
    await lab.renew()
    lab.write('felhom.yaml', `felhom: 1\ndesired: {git: ${git.repository}}\n`)
  })
  afterEach(() => git.remove())

  const felhom = (...args: string[]): Promise<Run> => lab.felhom(args)
  const show = async (): Promise<Record<string, unknown>> => {
    const {code, stdout, stderr} = await felhom('source', 'show', '--json')
    expect(code, stderr).to.equal(0)
    return (JSON.parse(stdout) as {result: Record<string, unknown>}).result
  }

  it('refuses a repository that has lost its guests until the operator accepts that commit', async () => {
    const first = git.commit({'guests.yaml': yaml(GUESTS)})
    const fresh = await felhom('daemon', '--once')
    expect(fresh.code, fresh.stderr).to.equal(0)
    expect(await show()).to.include({state: 'fresh', revision: first, guests: 5})
    const second = git.commit({'guests.yaml': yaml([101])})
    expect((await felhom('daemon', '--once')).code).to.equal(65)
    expect(await show()).to.include({state: 'refused', revision: first, guests: 5, refused_revision: second})
    const {stdout} = await felhom('source', 'show')
    expect(stdout).to.contain(`felhom source accept ${second.slice(0, 16)}`)
    expect((await felhom('source', 'accept', first)).code).to.equal(64)
    const accepted = await felhom('source', 'accept', second.slice(0, 16))
    expect(accepted.code, accepted.stderr).to.equal(0)
    expect((await felhom('daemon', '--once')).code).to.equal(0)
    expect(await show()).to.include({state: 'fresh', revision: second, guests: 1, refused_revision: null})
    git.git('reset', '--quiet', '--hard', first)
    expect((await felhom('daemon', '--once')).code).to.equal(65)
    expect(await show()).to.include({state: 'refused', revision: second, refused_revision: first})
    rmSync(git.repository, {recursive: true})
    await felhom('daemon', '--once')
    expect(await show()).to.include({state: 'away', revision: second, guests: 1})
  })

  it('is what plan and validate read, and they say when it is away or wrong', async () => {
    git.commit({'guests.yaml': 'felhom: 1\nguests: {101: {kind: lxc, config: {memory: 777}}}\n'})
    const planned = await felhom('plan', '--detailed-exitcode')
    expect(planned.code, planned.stderr).to.equal(2)
    expect(planned.stdout).to.contain('777')
    git.commit({'guests.yaml': 'felhom: 1\nguests: {101: {kind: lxc, config: {memroy: 777}}}\n'})
    const wrong = await felhom('validate')
    expect(wrong.code).to.equal(65)
    expect(wrong.stdout).to.contain('memroy')
    git.git('rm', '--quiet', 'guests.yaml')
    git.commit()
    expect((await felhom('validate')).code).to.equal(65)
    rmSync(git.repository, {recursive: true})
    const away = await felhom('validate')
    expect(away.code).to.equal(6)
    expect(away.stderr).to.contain('cannot be fetched from')
  })
})

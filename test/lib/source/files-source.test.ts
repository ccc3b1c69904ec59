import {expect} from 'chai'
import {appendFileSync, mkdirSync, rmSync, symlinkSync} from 'node:fs'
import {execFileSync} from 'node:child_process'
import {join} from 'node:path'
import {MAX_CARRIED_BYTES} from '../../../src/lib/source/bundle-limits.ts'
import {FilesSource} from '../../../src/lib/source/files-source.ts'
import type {Bundle, Fetched} from '../../../src/lib/source/source.ts'
import {MAX_ENVELOPE_BYTES} from '../../../src/lib/gate/envelope.ts'
import {guestsYaml, SourceLab} from '../../support/source-lab.ts'

const never = new AbortController().signal

describe('files-source', () => {
  let lab: SourceLab
  beforeEach(() => (lab = new SourceLab()))
  afterEach(() => lab.remove())

  const ask = (revision?: string): Promise<Fetched> =>
    new FilesSource([lab.dir], lab.root).fetch(revision === undefined ? undefined : {revision}, never)

  async function bundle(): Promise<Bundle> {
    const fetched = await ask()
    if (fetched.kind === 'bundle') return fetched.bundle
    throw new Error(JSON.stringify(fetched))
  }

  it('carries the YAML of a directory and the envelopes beside it, as they are', async () => {
    lab.write('b/two.yml', guestsYaml(102))
    lab.write('a.yaml', guestsYaml(101))
    lab.write('.hidden.yaml', 'x')
    lab.write('approvals/z.json', Buffer.from([0, 255]))
    lab.write('approvals/a.json', '{"v":1}')
    lab.write('approvals/readme.txt', 'no envelope')
    lab.write('jobs/j.json', '{}')
    const {texts, approvals, jobs} = await bundle()
    expect(texts.map(({file, dir}) => [file, dir])).to.deep.equal([
      ['guests/a.yaml', lab.dir],
      ['guests/b/two.yml', join(lab.dir, 'b')],
    ])
    expect(approvals.map(({name, bytes}) => [name, [...bytes]])).to.deep.equal([
      ['approvals/a.json', [...Buffer.from('{"v":1}')]],
      ['approvals/z.json', [0, 255]],
    ])
    expect(jobs.map(({name}) => name)).to.deep.equal(['jobs/j.json'])
  })

  it('names the same content by the same revision, and any other by another', async () => {
    const path = lab.write('a.yaml', guestsYaml(101))
    const {revision} = await bundle()
    expect(await ask(revision)).to.deep.equal({kind: 'unchanged'})
    const seen = new Set([revision])
    const differs = async (): Promise<void> => {
      const next = (await bundle()).revision
      expect(seen.has(next)).to.equal(false)
      seen.add(next)
    }
    appendFileSync(path, '#')
    await differs()
    lab.write('b.yaml', '')
    await differs()
    lab.write('approvals/a.json', '{}')
    await differs()
    rmSync(join(lab.dir, 'approvals'), {recursive: true})
    lab.write('jobs/a.json', '{}')
    await differs()
  })

  it('is away where the directory is not there, and unusable where it is empty', async () => {
    expect(await ask()).to.deep.equal({
      kind: 'unusable',
      problem: 'guests: there is no .yaml or .yml file in this directory',
    })
    rmSync(lab.dir, {recursive: true})
    expect(await ask()).to.deep.equal({
      kind: 'away',
      problem: 'guests: there is no such file or directory',
    })
  })

  it('hands on of each envelope one byte more than the gate takes, and leaves out links and pipes', async () => {
    expect(MAX_CARRIED_BYTES).to.equal(MAX_ENVELOPE_BYTES + 1)
    lab.write('a.yaml', guestsYaml(101))
    lab.write('jobs/long.json', Buffer.alloc(1 << 20))
    symlinkSync('/etc/passwd', join(lab.dir, 'jobs/link.json'))
    execFileSync('mkfifo', [join(lab.dir, 'jobs/pipe.json')])
    mkdirSync(join(lab.dir, 'jobs/dir.json'))
    const {jobs} = await bundle()
    expect(jobs.map(({name, bytes}) => [name, bytes.length])).to.deep.equal([
      ['jobs/long.json', MAX_CARRIED_BYTES],
    ])
  })

  it('refuses more envelopes than anybody needs', async () => {
    lab.write('a.yaml', guestsYaml(101))
    for (let i = 0; i < 1001; i++) lab.write(`approvals/${i}.json`, '')
    const fetched = await ask()
    expect(fetched).to.include({kind: 'unusable'})
    expect('problem' in fetched ? fetched.problem : '').to.match(
      /^there are 1001 files in approvals, more than 1000/,
    )
  })

  it('counts approvals and jobs too, so that all it says can be kept', async () => {
    lab.write('a.yaml', guestsYaml(101))
    for (let i = 0; i < 4; i++) lab.write(`${i}.yaml`, Buffer.alloc(15 << 20, '#'))
    const envelope = Buffer.alloc(MAX_CARRIED_BYTES, ' ')
    for (let i = 0; i < 100; i++) lab.write(`approvals/${i}.json`, envelope)
    expect((await ask()).kind).to.equal('unusable')
    for (let i = 0; i < 80; i++) rmSync(join(lab.dir, `approvals/${i}.json`))
    expect((await ask()).kind).to.equal('bundle')
  })

  it('does not use what changes while it is read', async () => {
    lab.write('a.yaml', `felhom: 1\n${'#'.repeat(1 << 20)}\n`)
    const late = lab.write('z.yaml', guestsYaml(101))
    const fetching = ask()
    appendFileSync(late, '  102: {kind: lxc}\n')
    expect(await fetching).to.deep.equal({kind: 'away', problem: 'the files changed while they were read'})
    expect((await ask()).kind).to.equal('bundle')
  })
})

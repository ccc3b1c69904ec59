import {expect} from 'chai'
import {execFileSync, spawn} from 'node:child_process'
import {randomBytes} from 'node:crypto'
import {once} from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import type {GitOptions} from '../../../src/lib/source/git-source.ts'
import type {Bundle, Fetched} from '../../../src/lib/source/source.ts'
import {GitLab} from '../../support/git-lab.ts'
import {unusedPort} from '../../support/scripted-server.ts'
import {guestsYaml} from '../../support/source-lab.ts'
import {waitFor} from '../../support/wait-for.ts'

const never = new AbortController().signal

describe('git-source', () => {
  let lab: GitLab
  beforeEach(() => (lab = new GitLab()))
  afterEach(() => lab.remove())

  const ask = (options: Partial<GitOptions> = {}, seen?: string): Promise<Fetched> =>
    lab.source(options).fetch(seen === undefined ? undefined : {revision: seen}, never)

  async function bundle(options: Partial<GitOptions> = {}): Promise<Bundle> {
    const fetched = await ask(options)
    if (fetched.kind === 'bundle') return fetched.bundle
    throw new Error(JSON.stringify(fetched))
  }

  const problemOf = (fetched: Fetched): string =>
    'problem' in fetched ? `${fetched.kind}: ${fetched.problem}` : fetched.kind
  const olderOf = (fetched: Fetched): string | undefined =>
    fetched.kind === 'bundle' ? (fetched.older ?? 'not older') : problemOf(fetched)

  /** What the real git is started after. */
  function wrapGit(script: string): NodeJS.ProcessEnv {
    const bin = join(lab.root, 'bin')
    const real = execFileSync('sh', ['-c', 'command -v git'], {encoding: 'utf8'}).trim()
    mkdirSync(bin, {recursive: true})
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\nexec ${real} "$@"\n`, {mode: 0o755})
    return {...lab.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`}
  }

  /** More packs than a copy may have. */
  function copyPack(packs: string, times: number): void {
    const pack = readdirSync(packs).find((name) => name.endsWith('.pack')) ?? ''
    for (let i = 0; i < times; i++)
      for (const end of ['.pack', '.idx'])
        copyFileSync(
          join(packs, pack.replace('.pack', end)),
          join(packs, `pack-${String(i).padStart(40, '0')}${end}`),
        )
  }

  it('reads the files of a commit and the envelopes beside them, byte for byte', async () => {
    const commit = lab.commit({
      'z.yaml': guestsYaml(102),
      'a/b.yml': guestsYaml(101),
      '.github/workflow.yaml': 'on: push',
      'README.md': 'no guests',
      'approvals/a.json': Buffer.from([0, 255, 13, 10]),
      'jobs/long.json': Buffer.alloc(100_000),
      'jobs/deeper/x.json': '{}',
    })
    const {revision, texts, approvals, jobs} = await bundle()
    expect(revision).to.equal(commit)
    expect(texts.map(({file, bytes}) => [file, Buffer.from(bytes).toString()])).to.deep.equal([
      ['a/b.yml', guestsYaml(101)],
      ['z.yaml', guestsYaml(102)],
    ])
    expect(approvals.map(({name, bytes}) => [name, [...bytes]])).to.deep.equal([
      ['approvals/a.json', [0, 255, 13, 10]],
    ])
    expect(jobs.map(({name, bytes}) => [name, bytes.length])).to.deep.equal([['jobs/long.json', 65_537]])
    expect(await ask({}, commit)).to.deep.equal({kind: 'unchanged'})
    expect(statSync(lab.cacheDir).mode & 0o077, 'ours alone, by the directory above it').to.be.a('number')
    expect(statSync(join(lab.cacheDir, '..')).mode & 0o777).to.equal(0o700)
  })

  it('reads a branch, a folder or a file of it, and says so', async () => {
    lab.commit({'prod/a.yaml': guestsYaml(101), 'test/b.yaml': guestsYaml(102), 'prod/jobs/j.json': '{}'})
    lab.git('checkout', '--quiet', '-b', 'feature/x')
    lab.commit({'prod/a.yaml': guestsYaml(103)})
    lab.git('checkout', '--quiet', 'main')
    const folder = await bundle({path: './prod/', branch: 'feature/x'})
    expect(folder.texts.map(({file, bytes}) => [file, Buffer.from(bytes).toString()])).to.deep.equal([
      ['prod/a.yaml', guestsYaml(103)],
    ])
    expect(folder.jobs.map(({name}) => name)).to.deep.equal(['jobs/j.json'])
    expect((await bundle({path: 'test/b.yaml'})).texts.map(({file}) => file)).to.deep.equal(['test/b.yaml'])
    expect(problemOf(await ask({path: 'gone'}))).to.match(/^unusable: there is no gone in commit/)
    expect(problemOf(await ask({path: '../x'}))).to.match(/^unusable: its path/)
    const {place} = lab.source({address: 'https://me:secret@git.example/x', branch: 'b', path: 'p/'})
    expect(place).to.equal('https://git.example/x, branch b, path p')
  })

  it('notices a branch that was set back, and takes one that goes on or elsewhere', async () => {
    const first = lab.commit({'a.yaml': guestsYaml(101)})
    const second = lab.commit({'a.yaml': guestsYaml(101, 102)})
    expect(olderOf(await ask({}, first))).to.equal('not older')
    lab.git('reset', '--quiet', '--hard', first)
    expect(olderOf(await ask({}, second))).to.equal(
      `commit ${first.slice(0, 12)} comes before ${second.slice(0, 12)}, which was seen`,
    )
    lab.commit({'a.yaml': guestsYaml(101, 103)})
    expect(olderOf(await ask({}, second)), 'forced elsewhere').to.equal('not older')
    expect(olderOf(await ask({}, 'sha256:of another kind'))).to.equal('not older')
  })

  it('tells with a shallow copy too, by fetching more, and says so where it cannot be told', async () => {
    const first = lab.commit({'a.yaml': guestsYaml(101)})
    const second = lab.commit({'a.yaml': guestsYaml(102)})
    await bundle({depth: 1})
    expect(readFileSync(join(lab.cacheDir, 'shallow'), 'utf8').trim()).to.equal(second)
    lab.commit({'a.yaml': guestsYaml(103)})
    const fourth = lab.commit({'a.yaml': guestsYaml(104)})
    expect(olderOf(await ask({depth: 1}, second))).to.equal('not older')
    rmSync(lab.cacheDir, {recursive: true})
    await bundle({depth: 1})
    lab.git('reset', '--quiet', '--hard', first)
    expect(olderOf(await ask({depth: 1}, fourth))).to.match(
      /cannot be told from the history that was fetched$/,
    )
    expect(olderOf(await ask({}, fourth)), 'all of it').to.match(/comes before|cannot be told/)
  })

  it('tells after the copy was lost, by asking for what was seen', async () => {
    const first = lab.commit({'a.yaml': guestsYaml(101)})
    const second = lab.commit({'a.yaml': guestsYaml(102)})
    expect(olderOf(await ask({}, first))).to.equal('not older')
    rmSync(lab.cacheDir, {recursive: true})
    lab.git('branch', 'keep')
    lab.git('reset', '--quiet', '--hard', first)
    expect(olderOf(await ask({}, second))).to.match(/ comes before .* which was seen$/)
    expect(olderOf(await ask({}, 'f'.repeat(40)))).to.match(/cannot be told/)
  })

  it('is away without the repository, and unusable without the branch or without guests', async () => {
    const empty = problemOf(await ask())
    expect(empty).to.match(/^unusable: it has no HEAD/)
    lab.commit({'readme.md': ''})
    expect(problemOf(await ask())).to.equal('unusable: there is no .yaml or .yml file in it')
    lab.commit({'a.yaml': guestsYaml(101)})
    lab.git('branch', 'gone')
    await bundle({branch: 'gone'})
    lab.git('branch', '--delete', '--quiet', 'gone')
    expect(problemOf(await ask({branch: 'gone'}))).to.equal('unusable: it has no branch gone')
    renameSync(lab.repository, `${lab.repository}-moved`)
    expect(problemOf(await ask())).to.match(/^away: .*does not (appear to be a git repository|exist)/)
    const port = await unusedPort()
    expect(problemOf(await ask({address: `https://me:secret@127.0.0.1:${port}/x.git`})))
      .to.match(/^away: /)
      .and.not.include('secret')
  })

  it('follows no link of a repository, and says so where guests could be behind it', async () => {
    const link = (to: string, name: string): void => {
      mkdirSync(dirname(join(lab.repository, name)), {recursive: true})
      symlinkSync(to, join(lab.repository, name))
    }
    lab.commit({'a.yaml': guestsYaml(101), 'shared/b.yaml': guestsYaml(102), 'prod/c.yaml': guestsYaml(103)})
    link('/etc/passwd', 'jobs/passwd.json')
    link('../a.yaml', 'prod/file')
    link('nowhere\nat all', 'prod/dangling')
    link('../shared', '.github/shared')
    link('../shared', 'elsewhere/shared')
    lab.commit()
    expect((await bundle({path: 'prod'})).texts.map(({file}) => file)).to.deep.equal(['prod/c.yaml'])
    expect(problemOf(await ask())).to.match(/^unusable: elsewhere\/shared is a link to a folder/)
    lab.git('rm', '--quiet', '-r', 'elsewhere')
    lab.commit()
    const {texts, jobs} = await bundle()
    expect(texts.map(({file}) => file)).to.deep.equal(['a.yaml', 'prod/c.yaml', 'shared/b.yaml'])
    expect(jobs).to.deep.equal([])
    for (const [to, name, expected] of [
      ['../shared', 'prod/x', /^unusable: x is a link to a folder/],
      ['file', 'prod/x', /^bundle/],
      ['..', 'prod/x/y', /^unusable: x\/y is a link to a folder/],
      ['/etc', 'prod/x', /^unusable: x is a link to a folder or out of the repository/],
      ['../a.yaml', 'prod/x.yaml', /^unusable: x\.yaml is a symbolic link/],
    ] as const) {
      link(to, name)
      lab.commit()
      expect(problemOf(await ask({path: 'prod'})), to).to.match(expected)
      rmSync(join(lab.repository, 'prod/x'), {recursive: true, force: true})
    }
  })

  it('enters no submodule, and says so', async () => {
    lab.commit({'a.yaml': guestsYaml(101), 'prod/c.yaml': guestsYaml(103)})
    lab.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', lab.repository, 'module')
    lab.commit()
    expect(problemOf(await ask())).to.match(/^unusable: module is a submodule, which is not fetched/)
    expect((await bundle({path: 'prod'})).texts).to.have.length(1)
  })

  it('runs no hook, filter or program that a repository, a branch or an address names', async () => {
    const trap = join(lab.root, 'sprung')
    const hook = `#!/bin/sh\ntouch ${trap}\n`
    lab.commit({'a.yaml': guestsYaml(101), '.gitattributes': '*.yaml filter=evil\n'})
    await bundle()
    mkdirSync(join(lab.cacheDir, 'hooks'), {recursive: true})
    for (const name of ['reference-transaction', 'post-checkout', 'post-rewrite']) {
      writeFileSync(join(lab.cacheDir, 'hooks', name), hook)
      chmodSync(join(lab.cacheDir, 'hooks', name), 0o755)
    }
    lab.commit({'a.yaml': guestsYaml(102)})
    await bundle()
    expect(problemOf(await ask({address: `ext::sh -c "touch% ${trap}"`}))).to.match(/^away: .*not allowed/)
    expect(problemOf(await ask({address: `--upload-pack=touch ${trap}`}))).to.match(/^unusable: .*dash/)
    const branches = [
      '-x',
      '--upload-pack=x',
      'a b',
      'a:refs/heads/b',
      '*',
      'a..b',
      'a^',
      'x~1',
      'a.lock',
      '@{1}',
      '.a',
      'a/',
      '',
      'a\nb',
      '@',
    ]
    for (const branch of branches)
      expect(problemOf(await ask({branch})), branch).to.match(/^unusable: .* is no name of a branch$/s)
    expect(existsSync(trap)).to.equal(false)
  })

  it('does not leave its own repository for what the environment says', async () => {
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    const env = {
      ...lab.env,
      GIT_DIR: '/nonexistent',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.bare',
      GIT_CONFIG_VALUE_0: 'x',
    }
    expect((await bundle({env})).revision).to.equal(commit)
  })

  it('refuses names that cannot be shown, and more than it reads', async () => {
    lab.commit({'a\u001b[2J.yaml': guestsYaml(101)})
    expect(problemOf(await ask())).to.equal('unusable: a file of it has a name that cannot be shown')
    lab.git('rm', '--quiet', '-r', '.')
    const blob = lab.git('hash-object', '-w', '/dev/null')
    const tree = Array.from({length: 10_001}, (_, i) => `100644 blob ${blob}\t${i}.yaml`).join('\n')
    writeFileSync(join(lab.root, 'tree'), `${tree}\n`)
    const many = commitTree(lab, join(lab.root, 'tree'))
    lab.git('update-ref', 'refs/heads/main', many)
    expect(problemOf(await ask())).to.equal('unusable: there are more than 10000 files in it')
    expect(problemOf(await ask({limits: {maxOutputBytes: 1000}}))).to.equal(
      'unusable: it holds too much to read',
    )
  })

  it('refuses huge blobs: by their size where they are read, by the size of the pack where they are not', async () => {
    const large = lab.git('hash-object', '-w', '-t', 'blob', largeFile(lab))
    const tree = Array.from({length: 9}, (_, i) => `100644 blob ${large}\t${i}.yaml\n`).join('')
    writeFileSync(join(lab.root, 'tree'), tree)
    lab.git('update-ref', 'refs/heads/main', commitTree(lab, join(lab.root, 'tree')))
    expect(problemOf(await ask())).to.match(/^unusable: its files hold \d+ bytes, more than 67108864$/)
    lab.git('symbolic-ref', 'HEAD', 'refs/heads/other')
    lab.commit({'b.yaml': guestsYaml(101), 'image.iso': randomBytes(300_000)})
    rmSync(lab.cacheDir, {recursive: true})
    const limits = {maxFileBytes: 100_000}
    expect(problemOf(await ask({limits}))).to.match(/^unusable: it is larger than 100000 bytes/)
    await ask({limits})
    const left = readdirSync(join(lab.cacheDir, 'objects/pack')).filter((name) => name.startsWith('tmp_'))
    expect(left.length, 'what was cut off does not pile up').to.be.at.most(1)
    expect((await bundle()).texts.length).to.equal(1)
  })

  it('makes its copy anew when it is damaged, or was left locked by a git that was killed', async () => {
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    await bundle()
    writeFileSync(join(lab.cacheDir, 'shallow.lock'), '')
    writeFileSync(join(lab.cacheDir, 'refs/felhom/head.lock'), '')
    lab.commit({'a.yaml': guestsYaml(102)})
    expect(olderOf(await ask({}, commit))).to.equal('not older')
    const packs = join(lab.cacheDir, 'objects/pack')
    for (const name of readdirSync(packs)) {
      chmodSync(join(packs, name), 0o600)
      truncateSync(join(packs, name), 20)
    }
    expect(olderOf(await ask({}, commit))).to.equal('not older')
    writeFileSync(join(lab.cacheDir, 'HEAD'), 'nonsense')
    expect(olderOf(await ask({}, commit))).to.equal('not older')
  })

  it('keeps few packs, however often it fetches, and still knows what was seen', async () => {
    let seen = lab.commit({'a.yaml': guestsYaml(101)})
    await bundle()
    const packs = join(lab.cacheDir, 'objects/pack')
    copyPack(packs, 51)
    const next = lab.commit({'a.yaml': guestsYaml(102)})
    expect(olderOf(await ask({}, seen))).to.equal('not older')
    expect(readdirSync(packs).filter((name) => name.endsWith('.pack')).length).to.equal(2)
    lab.git('reset', '--quiet', '--hard', seen)
    seen = next
    expect(olderOf(await ask({}, seen))).to.match(/comes before/)
  })

  it('keeps its copy below a limit, whatever is forced on the branch, and still knows what was seen', async () => {
    const limits = {maxFileBytes: 1 << 20, maxCopyBytes: 3 << 20}
    const packs = join(lab.cacheDir, 'objects/pack')
    const size = (): number =>
      existsSync(packs)
        ? readdirSync(packs).reduce((sum, name) => sum + statSync(join(packs, name)).size, 0)
        : 0
    let seen = lab.commit({'a.yaml': guestsYaml(101)})
    await bundle({limits})
    const largest: number[] = []
    for (let i = 0; i < 14; i++) {
      // Every other one is of no use, and takes as much room.
      lab.git('checkout', '--quiet', '--orphan', `o${i}`)
      lab.git('rm', '--quiet', '-r', '-f', '--ignore-unmatch', '.')
      const commit = lab.commit({
        [i % 2 === 0 ? 'a.yaml' : 'a.txt']: guestsYaml(101),
        'image.iso': randomBytes(900_000),
      })
      const fetched = await ask({limits}, seen)
      expect(problemOf(fetched)).to.match(i % 2 === 0 ? /^bundle/ : /^unusable: there is no .yaml/)
      if (fetched.kind === 'bundle') seen = commit
      largest.push(size())
    }
    expect(Math.max(...largest)).to.be.greaterThan(2 << 20)
    expect(Math.max(...largest)).to.be.lessThan(4 << 20)
    const next = lab.commit({'a.yaml': guestsYaml(101, 102)})
    expect(olderOf(await ask({limits}, next))).to.equal('unchanged')
    lab.git('reset', '--quiet', '--hard', 'HEAD~1')
    lab.git('checkout', '--quiet', '-B', 'back', 'HEAD')
    lab.commit({'a.yaml': guestsYaml(101, 103)})
    expect(olderOf(await ask({limits}, next))).to.equal('not older')
  })

  it('throws its copy away when it cannot be packed and is too large, and fetches it anew', async () => {
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    await bundle()
    writeFileSync(join(lab.cacheDir, 'objects/pack/pack-x.keep-me'), Buffer.alloc(100_000))
    const next = lab.commit({'a.yaml': guestsYaml(102)})
    expect(olderOf(await ask({limits: {maxCopyBytes: 50_000}}, commit))).to.equal('not older')
    expect(existsSync(join(lab.cacheDir, 'objects/pack/pack-x.keep-me'))).to.equal(false)
    lab.git('reset', '--quiet', '--hard', commit)
    expect(olderOf(await ask({}, next))).to.match(/comes before/)
  })

  it('fetches on where its copy takes longer to pack than there is time', async () => {
    const seen = lab.commit({'a.yaml': guestsYaml(101)})
    const env = wrapGit('case "$*" in *repack*) sleep 600;; esac')
    await bundle()
    copyPack(join(lab.cacheDir, 'objects/pack'), 50)
    const next = lab.commit({'a.yaml': guestsYaml(102)})
    const fetched = await ask({env, limits: {timeoutMs: 4000}}, seen)
    expect(fetched.kind === 'bundle' ? fetched.bundle.revision : problemOf(fetched)).to.equal(next)
    expect(await ask({}, next)).to.deep.equal({kind: 'unchanged'})
  })

  it('takes nothing that packing has left for a source that is too large', async () => {
    const seen = lab.commit({'a.yaml': guestsYaml(101)})
    await bundle()
    const packs = join(lab.cacheDir, 'objects/pack')
    const env = wrapGit(
      `case "$*" in *repack*) for left in tmp_pack_x .tmp-1-pack-x.pack; do head -c 400000 /dev/zero > ${packs}/$left; done; exit 1;; esac`,
    )
    copyPack(packs, 50)
    rmSync(lab.repository, {recursive: true})
    expect(problemOf(await ask({env, limits: {maxFileBytes: 300_000}}, seen))).to.match(/^away: /)
    expect(readdirSync(packs).filter((name) => name.includes('tmp'))).to.deep.equal([])
  })

  it('ends a git that hangs, with all that it has started, in time and when it is told to', async () => {
    lab.commit({'a.yaml': guestsYaml(101)})
    const bin = join(lab.root, 'bin')
    const pids = join(lab.root, 'pids')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\nsleep 600 &\necho $$ $! >> ${pids}\nwait\n`)
    chmodSync(join(bin, 'git'), 0o755)
    const env = {...lab.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`}
    expect(problemOf(await ask({env, limits: {timeoutMs: 300}}))).to.equal(
      'away: git did not end within 0.3 s',
    )
    const controller = new AbortController()
    const aborted = lab
      .source({env})
      .fetch(undefined, controller.signal)
      .catch((error: unknown) => error)
    await waitFor(() => Promise.resolve(readFileSync(pids, 'utf8').trim().split('\n').length === 2))
    controller.abort(new Error('told to end'))
    expect(String(await aborted)).to.include('told to end')
    for (const pid of readFileSync(pids, 'utf8').trim().split(/\s/))
      await waitFor(() => Promise.resolve(!isAlive(Number(pid))))
  })

  it('shows that it moves on after each command of git, since each may take its time', async () => {
    lab.commit({'guests.yaml': guestsYaml(101)})
    const seen = (await bundle()).revision
    lab.commit({'guests.yaml': guestsYaml(102)})
    let steps = 0
    const steady = await ask({progress: () => steps++}, seen)
    expect(steady.kind).to.equal('bundle')
    // To fetch, to find the commit, to list and read its files, to compare it with what was seen.
    expect(steps).to.be.at.least(6)
  })

  it('has one time limit for all that it asks git for, and blames nobody else when it is over', async () => {
    const first = lab.commit({'a.yaml': guestsYaml(101)})
    lab.commit({'a.yaml': guestsYaml(102)})
    await bundle()
    // A server that gives its branch at once, and is asked for a commit by its name in vain.
    const slow = 'case "$*" in *refs/felhom/seen*) sleep 600;; *) sleep 0.1;; esac'
    const env = wrapGit(`echo "$@" >> ${lab.root}/asked\n${slow}`)
    lab.git('reset', '--quiet', '--hard', first)
    const seen = '0'.repeat(40)
    expect(problemOf(await ask({env, limits: {timeoutMs: 3000}}, seen))).to.equal(
      'away: git did not end within 3 s',
    )
    const asked = readFileSync(join(lab.root, 'asked'), 'utf8').trim().split('\n')
    expect(asked.filter((line) => line.includes(' fetch '))).to.have.length(2)
  })

  it('takes nothing for newer only because its history could not be looked at', async () => {
    const first = lab.commit({'a.yaml': guestsYaml(101)})
    const second = lab.commit({'a.yaml': guestsYaml(102)})
    await bundle()
    lab.git('reset', '--quiet', '--hard', first)
    const fails = wrapGit('case "$*" in *merge-base*) echo "fatal: no memory" >&2; exit 128;; esac')
    expect(problemOf(await ask({env: fails}, second))).to.equal(
      'away: how the commits stand to each other cannot be told: no memory',
    )
    const hangs = wrapGit('case "$*" in *merge-base*) sleep 600;; esac')
    expect(problemOf(await ask({env: hangs, limits: {timeoutMs: 3000}}, second))).to.equal(
      'away: git did not end within 3 s',
    )
    expect(olderOf(await ask({}, second))).to.match(/comes before/)
  })

  it('leaves a server alone that fails, longer each time', async () => {
    const nowMs = {value: 1_800_000_000_000}
    const source = lab.source({
      address: join(lab.root, 'nowhere'),
      clock: {now: () => nowMs.value},
      random: () => 1,
    })
    const fetch = async (): Promise<string> => problemOf(await source.fetch(undefined, never))
    const nothing = await fetch()
    expect(nothing).to.match(/^away: /)
    lab.git('clone', '--quiet', '--bare', lab.repository, join(lab.root, 'nowhere'))
    nowMs.value += 4999
    expect(await fetch()).to.equal(nothing)
    nowMs.value += 2
    // There is no commit in it yet.
    expect(await fetch()).to.match(/^(away|unusable): /)
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    lab.git('push', '--quiet', join(lab.root, 'nowhere'), 'main')
    nowMs.value += 9_999
    expect(await fetch()).to.not.equal('bundle')
    nowMs.value += 2
    const fetched = await source.fetch(undefined, never)
    expect(fetched.kind === 'bundle' && fetched.bundle.revision).to.equal(commit)
  })

  it('says so where there is no git', async () => {
    const bin = join(lab.root, 'bin')
    mkdirSync(bin)
    for (const name of ['flock', 'timeout', 'prlimit']) symlinkSync(`/usr/bin/${name}`, join(bin, name))
    expect(problemOf(await ask({env: {PATH: bin}}))).to.match(/^away: .*git/)
  })

  it('fetches from a server', async () => {
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    const port = await unusedPort()
    const args = ['daemon', '--export-all', `--base-path=${lab.root}`, '--listen=127.0.0.1', `--port=${port}`]
    const daemon = spawn('git', args, {env: lab.env, stdio: 'ignore', detached: true})
    try {
      const address = `git://127.0.0.1:${port}/repository`
      await waitFor(async () => (await ask({address})).kind === 'bundle')
      expect((await bundle({address, depth: 1})).revision).to.equal(commit)
      expect(await ask({address}, commit)).to.deep.equal({kind: 'unchanged'})
    } finally {
      const ended = once(daemon, 'exit')
      process.kill(-(daemon.pid ?? 0), 'SIGKILL')
      await ended
    }
  })

  it('leaves its lock to nothing that git has started and that outlives it', async () => {
    lab.commit({'a.yaml': guestsYaml(101)})
    const ssh = join(lab.root, 'ssh.sh')
    const pid = join(lab.root, 'pid')
    const upload = `exec git-upload-pack '${lab.repository}'`
    writeFileSync(ssh, `#!/bin/sh\nsetsid sleep 600 <&- >&- 2>&- &\necho $! > ${pid}\n${upload}\n`, {
      mode: 0o755,
    })
    const options = {address: `ssh://host${lab.repository}`, env: {...lab.env, GIT_SSH_COMMAND: ssh}}
    try {
      await bundle(options)
      const helper = Number(readFileSync(pid, 'utf8'))
      expect(isAlive(helper)).to.equal(true)
      expect(readdirSync(`/proc/${helper}/fd`)).to.not.include('3')
      await bundle(options)
    } finally {
      process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL')
    }
  })

  it('lets two of them use one copy, one after the other', async () => {
    const commit = lab.commit({'a.yaml': guestsYaml(101)})
    const answers = await Promise.all([bundle(), bundle(), bundle({depth: 1})])
    expect(answers.map(({revision}) => revision)).to.deep.equal([commit, commit, commit])
  })
})

function largeFile(lab: GitLab): string {
  const path = join(lab.root, 'large')
  writeFileSync(path, Buffer.alloc(8 << 20))
  return path
}

function commitTree(lab: GitLab, file: string): string {
  const tree = lab.git('-c', 'alias.mk=!git mktree <', 'mk', file)
  return lab.git('commit-tree', '-m', 'many', tree)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

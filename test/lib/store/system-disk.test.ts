import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {openJournal, type OpenJournalOptions} from '../../../src/lib/store/open-journal.ts'
import {readJournal} from '../../../src/lib/store/read-journal.ts'
import {systemDisk} from '../../../src/lib/store/system-disk.ts'
import {rejection} from '../../support/reject.ts'
import {ending, IDENTITY, makeIntent} from './journal-fixture.ts'

describe('the disk of the machine', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-disk-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })
  const options = (): OpenJournalOptions => ({
    disk: systemDisk,
    dir,
    identity: IDENTITY,
    clock: Date,
    warn: () => undefined,
  })
  const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)

  it('holds a journal, for us alone, through rotation and a second opening', async () => {
    const umask = process.umask(0)
    const journal = await openJournal(options()).finally(() => process.umask(umask))
    await Promise.all([1, 2, 3].map((n) => journal.start(makeIntent(`a.${n}`, 100 + n))))
    await journal.rotate()
    await journal.settle('a.1', ending('succeeded'))
    await journal.close()
    expect(modeOf(join(dir, 'journal'))).to.equal('700')
    for (const name of ['00000001.log', '00000002.log'])
      expect(modeOf(join(dir, 'journal', name))).to.equal('600')
    const again = await openJournal(options())
    expect(again.openOperations().map(({intent}) => intent.op)).to.deep.equal(['a.2', 'a.3'])
    expect((await again.compact({olderThanMs: -1000})).kept).to.deep.equal(['00000002.log'])
    await again.close()
    const view = await readJournal({disk: systemDisk, dir})
    expect(view.openOperations()).to.have.length(2)
  })

  it('refuses files that are links, no files, or open to others', async () => {
    const journal = await openJournal(options())
    await journal.close()
    const path = join(dir, 'journal', '00000001.log')
    chmodSync(path, 0o640)
    expect(await rejection(openJournal(options()))).to.include({
      code: 'state_unsafe',
      hint: `chmod 600 ${path}`,
    })
    expect((await rejection(readJournal({disk: systemDisk, dir}))).code).to.equal('state_unsafe')
    chmodSync(path, 0o600)
    const bytes = readFileSync(path)
    rmSync(path)
    writeFileSync(join(dir, 'elsewhere'), bytes, {mode: 0o600})
    symlinkSync(join(dir, 'elsewhere'), path)
    expect((await rejection(openJournal(options()))).message).to.contain('is a link')
    rmSync(path)
    execFileSync('mkfifo', ['-m', '600', path])
    expect((await rejection(openJournal(options()))).message).to.contain('no regular file')
  })

  it('refuses a journal directory that is a link or open to others', async () => {
    mkdirSync(join(dir, 'journal'), 0o755)
    expect((await rejection(openJournal(options()))).hint).to.equal(`chmod 700 ${join(dir, 'journal')}`)
    rmSync(join(dir, 'journal'), {recursive: true})
    mkdirSync(join(dir, 'other'), 0o700)
    symlinkSync(join(dir, 'other'), join(dir, 'journal'))
    expect((await rejection(openJournal(options()))).code).to.equal('state_unsafe')
  })

  it('lists nothing where there is no directory, and creates no file twice', async () => {
    expect(await systemDisk.list(join(dir, 'none'))).to.deep.equal([])
    await (await systemDisk.open(join(dir, 'new'), 'create')).close()
    const again = await systemDisk.open(join(dir, 'new'), 'create').catch((error: unknown) => error)
    expect(again).to.include({code: 'EEXIST'})
  })

  it('is full in earnest on a small file system, and the journal tells no lie', async () => {
    const mount = join(dir, 'small')
    mkdirSync(mount, 0o700)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'tmpfs', mount], {stdio: 'ignore'})
    } catch {
      // Only where the machine allows it; the disk in memory has shown the same.
      return
    }
    try {
      const journal = await openJournal({...options(), dir: mount})
      const started: string[] = []
      const fill = async (): Promise<void> => {
        for (let n = 0; n < 500; n++) {
          await journal.start(makeIntent(`a.${n}`, 100 + n, {name: 'x'.repeat(300)}))
          started.push(`a.${n}`)
        }
      }
      expect((await rejection(fill())).message).to.contain('ENOSPC')
      await journal.close()
      const view = await readJournal({disk: systemDisk, dir: mount})
      expect(view.openOperations().map(({intent}) => intent.op)).to.deep.equal(started)
      expect(started.length).to.be.greaterThan(20)
    } finally {
      execFileSync('umount', [mount])
    }
  })
})

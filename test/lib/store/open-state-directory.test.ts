import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {checkAbove, checkPrivate} from '../../../src/lib/store/check-private.ts'
import {openStateDirectory} from '../../../src/lib/store/open-state-directory.ts'
import {rejection} from '../../support/reject.ts'

describe('the state directory', () => {
  let base: string
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'felhom-state-')))
  })
  afterEach(() => {
    rmSync(base, {recursive: true})
  })
  const modeOf = (path: string): string => (lstatSync(path).mode & 0o7777).toString(8)

  it('is made, with all above it that is missing, for us alone', async () => {
    const umask = process.umask(0)
    try {
      expect(await openStateDirectory(join(base, 'a', 'b', 'state'))).to.equal(join(base, 'a', 'b', 'state'))
    } finally {
      process.umask(umask)
    }
    for (const path of ['a', 'a/b', 'a/b/state']) expect(modeOf(join(base, path))).to.equal('700')
    expect(await openStateDirectory(join(base, 'a', 'b', 'state'))).to.equal(join(base, 'a', 'b', 'state'))
  })

  it('is refused when others may read or write it, with the command that mends it', async () => {
    const dir = join(base, 'state')
    mkdirSync(dir)
    for (const mode of [0o755, 0o770, 0o701, 0o777]) {
      chmodSync(dir, mode)
      const error = await rejection(openStateDirectory(dir))
      expect(error).to.include({code: 'state_unsafe', hint: `chmod 700 ${dir}`})
      expect(error.message).to.contain(`0${mode.toString(8)}`)
    }
    chmodSync(dir, 0o700)
    await openStateDirectory(dir)
  })

  it('is refused when it is a link or a file', async () => {
    mkdirSync(join(base, 'real'), 0o700)
    symlinkSync(join(base, 'real'), join(base, 'link'))
    writeFileSync(join(base, 'file'), '')
    for (const name of ['link', 'file']) {
      const error = await rejection(openStateDirectory(join(base, name)))
      expect(error.code).to.equal('state_unsafe')
      expect(error.message).to.contain(join(base, name))
    }
  })

  it('is refused below a directory that others may write, unless that is sticky', async () => {
    const above = join(base, 'above')
    mkdirSync(above)
    for (const mode of [0o777, 0o775]) {
      chmodSync(above, mode)
      const error = await rejection(openStateDirectory(join(above, 'deep', 'state')))
      expect(error).to.include({code: 'state_unsafe', hint: `chmod go-w ${above}`})
      expect(existsSync(join(above, 'deep'))).to.equal(false)
    }
    chmodSync(above, 0o1777)
    await openStateDirectory(join(above, 'state'))
  })

  it('may be reached by links above it, and is judged where it really is', async () => {
    mkdirSync(join(base, 'real'), 0o700)
    symlinkSync(join(base, 'real'), join(base, 'link'))
    expect(await openStateDirectory(join(base, 'link', 'state'))).to.equal(join(base, 'real', 'state'))
    chmodSync(join(base, 'real'), 0o777)
    expect((await rejection(openStateDirectory(join(base, 'link', 'state')))).hint).to.contain(
      join(base, 'real'),
    )
  })

  it('must be our own, and what is above it our own or root’s', () => {
    const own = process.getuid?.() ?? 0
    const ownedBy = (uid: number): Stats => Object.assign(statSync(base), {uid})
    checkPrivate(base, ownedBy(own), 'directory')
    expect(() => checkPrivate(base, ownedBy(own + 1), 'directory'))
      .to.throw(`${base} belongs to uid ${own + 1}, and felhom runs as uid ${own}`)
      .with.property('code', 'state_unsafe')
    for (const uid of [0, own]) checkAbove(base, ownedBy(uid))
    expect(() => checkAbove(base, ownedBy(own + 1)))
      .to.throw(`${base} belongs to uid ${own + 1}`)
      .with.property('code', 'state_unsafe')
  })
})

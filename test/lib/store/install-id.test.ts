import {execFile} from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect} from 'chai'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {openInstallId, readInstallId} from '../../../src/lib/store/install-id.ts'

const MAKER = fileURLToPath(new URL('../../support/open-install-id.ts', import.meta.url))

describe('the id of an installation', () => {
  let dir: string
  let path: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-id-'))
    path = join(dir, 'install-id')
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const problemOf = (work: () => unknown): FelhomError => {
    try {
      work()
    } catch (error) {
      if (error instanceof FelhomError) return error
      throw error
    }
    throw new Error('it was taken')
  }

  it('is random, made at first use, for us alone, and the same ever after', () => {
    expect(readInstallId(dir)).to.equal(undefined)
    expect(readdirSync(dir)).to.deep.equal([])
    const id = openInstallId(dir)
    expect(id).to.match(/^[0-9a-f]{32}$/)
    expect([openInstallId(dir), readInstallId(dir)]).to.deep.equal([id, id])
    expect(readdirSync(dir)).to.deep.equal(['install-id'])
    expect(readFileSync(path, 'latin1')).to.equal(`${id}\n`)
    expect(statSync(path).mode & 0o7777).to.equal(0o600)
    const other = join(dir, 'other')
    mkdirSync(other, 0o700)
    expect(openInstallId(other)).not.to.equal(id)
  })

  it('that is malformed is loud, and no other is made in its place', () => {
    const id = openInstallId(dir)
    for (const text of [
      '',
      '\n',
      id,
      `${id}\r\n`,
      `${id}\n\n`,
      ` ${id}\n`,
      `${id.slice(1)}\n`,
      `${id}0\n`,
      `${'Z'.repeat(32)}\n`,
    ]) {
      writeFileSync(path, text)
      const error = problemOf(() => openInstallId(dir))
      expect(error.code, JSON.stringify(text)).to.equal('state_unsafe')
      expect(error.hint).to.contain('approvals must be signed anew')
      expect(readFileSync(path, 'latin1')).to.equal(text)
    }
  })

  it('that is a link, a directory, or open to others is refused', () => {
    const id = openInstallId(dir)
    chmodSync(path, 0o640)
    expect(problemOf(() => openInstallId(dir)).hint).to.equal(`chmod 600 ${path}`)
    rmSync(path)
    writeFileSync(join(dir, 'elsewhere'), `${id}\n`, {mode: 0o600})
    symlinkSync('elsewhere', path)
    expect(problemOf(() => openInstallId(dir)).code).to.equal('state_unsafe')
    rmSync(path)
    symlinkSync('nowhere', path)
    expect(problemOf(() => openInstallId(dir)).code).to.equal('state_unsafe')
    rmSync(path)
    mkdirSync(path, 0o700)
    expect(problemOf(() => openInstallId(dir)).message).to.contain('is no regular file')
  })

  it('that cannot be made is told', () => {
    const error = problemOf(() => openInstallId(join(dir, 'missing')))
    expect(error.code).to.equal('state_unsafe')
    expect(error.message).to.contain('cannot be made')
  })

  it('is one for all processes that make it at once', async () => {
    const run = promisify(execFile)
    const made = await Promise.all(
      [1, 2, 3, 4].map(() => run(process.execPath, ['--import', 'tsx', MAKER, dir])),
    )
    expect(new Set(made.map(({stdout}) => stdout))).to.deep.equal(new Set([readFileSync(path, 'latin1')]))
    expect(readdirSync(dir)).to.deep.equal(['install-id'])
  })
})

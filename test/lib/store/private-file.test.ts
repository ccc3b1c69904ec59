import {execFileSync} from 'node:child_process'
import {chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {readPrivateFile} from '../../../src/lib/store/private-file.ts'

const RULES = {maxBytes: 64, mayGroupRead: true}

describe('a private file', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-private-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const make = (mode: number, text = 'secret'): string => {
    const path = join(dir, 'token')
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  const problem = (path: string, rules = RULES): string => {
    const read = readPrivateFile(path, rules)
    return 'problem' in read ? read.problem : ''
  }

  it('is read when only its owner, or a group that may not write, can read it', () => {
    expect(readPrivateFile(make(0o600), RULES)).to.deep.equal({bytes: Buffer.from('secret')})
    expect(readPrivateFile(make(0o640), RULES)).to.have.property('bytes')
  })

  it('is refused when others may read it, with the command that mends it', () => {
    const path = make(0o644)
    expect(readPrivateFile(path, RULES)).to.deep.equal({
      problem: `${path} has mode 0644: others may read or change it`,
      mend: `chmod 600 ${path}`,
    })
    expect(problem(make(0o660))).to.contain('0660')
    expect(problem(make(0o640), {...RULES, mayGroupRead: false})).to.contain('0640')
  })

  it('is refused when it is a link, a directory, a FIFO, missing or too large', () => {
    const path = make(0o600)
    symlinkSync(path, join(dir, 'link'))
    mkdirSync(join(dir, 'folder'))
    execFileSync('mkfifo', ['-m', '600', join(dir, 'fifo')])
    expect(problem(join(dir, 'link'))).to.contain('symbolic link')
    expect(problem(join(dir, 'folder'))).to.contain('not a regular file')
    expect(problem(join(dir, 'fifo'))).to.contain('not a regular file')
    expect(problem(join(dir, 'gone'))).to.contain('does not exist')
    expect(problem(make(0o600, 'x'.repeat(65)))).to.contain('65 bytes')
  })

  it('is refused in a directory that everybody may write, unless it is sticky', () => {
    const path = make(0o600)
    chmodSync(dir, 0o777)
    expect(problem(path)).to.contain('everybody may write')
    chmodSync(dir, 0o1777)
    expect(problem(path)).to.equal('')
    linkSync(path, join(dir, 'second'))
    expect(problem(path)).to.equal('')
  })
})

import {execFileSync} from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {isFelhomError} from '../../../src/lib/model/felhom-error.ts'
import {TrustFiles} from '../../../src/lib/store/trust-files.ts'

const FOREIGN_UID = 12_345

describe('the files of the trust store', () => {
  let scratch: string
  let dir: string

  beforeEach(() => {
    scratch = mkdtempSync(join(tmpdir(), 'felhom-trust-'))
    dir = join(scratch, 'trust')
    mkdirSync(dir, 0o755)
    for (const version of [1, 2]) {
      writeFileSync(join(dir, `${version}.json`), `version ${version}`, {mode: 0o644})
      writeFileSync(join(dir, `${version}.sigs.json`), `signatures ${version}`, {mode: 0o644})
    }
  })

  afterEach(() => {
    rmSync(scratch, {recursive: true, force: true})
  })

  const read = (): ReturnType<TrustFiles['read']> => new TrustFiles(dir).read()

  async function expectUnsafe(message: RegExp, hint = /./): Promise<void> {
    try {
      await read()
    } catch (error) {
      if (!isFelhomError(error, 'trust_unsafe')) throw error
      expect(error.message).to.match(message)
      expect(error.hint).to.match(hint)
      return
    }
    throw new Error('they were read')
  }

  it('are read version by version, whatever else lies beside them', async () => {
    writeFileSync(join(dir, '3.proposal.json'), 'not yet')
    writeFileSync(join(dir, '3.sigs.json'), 'of a version that is not there')
    writeFileSync(join(dir, '01.json'), 'no version')
    const versions = await read()
    const texts = versions.map(({version, bytes, signatures}) => [
      version,
      Buffer.from(bytes).toString(),
      Buffer.from(signatures).toString(),
    ])
    expect(texts).to.deep.equal([
      [1, 'version 1', 'signatures 1'],
      [2, 'version 2', 'signatures 2'],
    ])
  })

  for (const name of ['2.json', '2.sigs.json', '1.json']) {
    const swap = (put: (path: string, original: string) => void): void => {
      const path = join(dir, name)
      const original = join(scratch, 'original')
      renameSync(path, original)
      put(path, original)
    }

    it(`are refused when ${name} may be written by others`, async () => {
      for (const mode of [0o664, 0o646, 0o666]) {
        chmodSync(join(dir, name), mode)
        await expectUnsafe(/others may change it/, /chmod go-w/)
      }
    })

    it(`are refused when ${name} is a symbolic link`, async () => {
      swap((path, original) => {
        symlinkSync(original, path)
      })
      await expectUnsafe(/symbolic link/)
    })

    it(`are refused when ${name} has a second name`, async () => {
      linkSync(join(dir, name), join(scratch, 'second'))
      await expectUnsafe(/2 links/)
    })

    it(`are refused when ${name} is a directory`, async () => {
      swap((path) => mkdirSync(path))
      await expectUnsafe(/no regular file/)
    })

    it(`are refused when ${name} is a FIFO, without waiting for it`, async () => {
      swap((path) => execFileSync('mkfifo', [path]))
      await expectUnsafe(/no regular file/)
    })

    it(`are refused when ${name} belongs to somebody else`, async function () {
      if (process.getuid?.() !== 0) this.skip()
      chownSync(join(dir, name), FOREIGN_UID, 0)
      await expectUnsafe(/belongs to uid 12345/)
    })

    it(`are refused when ${name} is longer than it could be`, async () => {
      writeFileSync(join(dir, name), Buffer.alloc(600_000))
      await expectUnsafe(/more than \d+ bytes/)
    })
  }

  it('are refused when a version in the middle is missing', async () => {
    for (const name of ['1.json', '1.sigs.json', '2.sigs.json']) {
      const text = readFileSync(join(dir, name))
      rmSync(join(dir, name))
      await expectUnsafe(new RegExp(`${name.replaceAll('.', String.raw`\.`)} is missing`))
      writeFileSync(join(dir, name), text)
    }
  })

  it('are refused when there are none, or no directory', async () => {
    for (const name of ['1.json', '2.json']) rmSync(join(dir, name))
    await expectUnsafe(/no version 1/, /gate trust init/)
    rmSync(dir, {recursive: true})
    await expectUnsafe(/no directory/, /gate trust init/)
  })

  it('are refused with a version beyond all reason, without looking for each before it', async () => {
    writeFileSync(join(dir, '999999.json'), '')
    await expectUnsafe(/holds version 999999/)
  })

  it('are refused when others may write their directory or one above it, unless it is sticky', async () => {
    for (const path of [dir, scratch]) {
      chmodSync(path, 0o777)
      await expectUnsafe(/others could put their own files in it/, /chmod go-w/)
      chmodSync(path, 0o770)
      await expectUnsafe(/others could/)
      chmodSync(path, 0o1777)
      await read()
      chmodSync(path, 0o755)
    }
  })

  it('are refused when their directory, or one above it, belongs to somebody else', async function () {
    if (process.getuid?.() !== 0) this.skip()
    for (const path of [dir, scratch]) {
      chownSync(path, FOREIGN_UID, 0)
      await expectUnsafe(/belongs to uid 12345/)
      chownSync(path, 0, 0)
    }
  })

  it('are looked for behind a link to their directory, and the real one is judged', async () => {
    const link = join(scratch, 'link')
    symlinkSync(dir, link)
    expect(await new TrustFiles(link).read()).to.have.length(2)
    chmodSync(dir, 0o777)
    dir = link
    await expectUnsafe(/others could/)
  })

  it('are refused behind a link that others could point elsewhere', async () => {
    const open = join(scratch, 'open')
    mkdirSync(open)
    symlinkSync(dir, join(open, 'link'))
    dir = join(open, 'link')
    await read()
    chmodSync(open, 0o777)
    await expectUnsafe(/open has mode 0777/)
  })

  it('are written for everybody to read and nobody else to change', async () => {
    const files = new TrustFiles(join(scratch, 'deeper', 'trust'))
    const version = {version: 1, bytes: Buffer.from('one'), signatures: Buffer.from('sigs')}
    const file = files.writeProposal(version)
    expect(statSync(file).mode & 0o777).to.equal(0o644)
    expect(files.readProposal(1)?.bytes.toString()).to.equal('one')
    files.writeVersion(version)
    files.dropProposal(1)
    expect(files.readProposal(1)).to.equal(undefined)
    expect(existsSync(file)).to.equal(false)
    expect(await files.read()).to.have.length(1)
  })

  it('are never written over', () => {
    const version = {version: 2, bytes: Buffer.from('other'), signatures: Buffer.from('other')}
    expect(() => {
      new TrustFiles(dir).writeVersion(version)
    }).to.throw(/there already/)
    expect(readFileSync(join(dir, '2.json'), 'utf8')).to.equal('version 2')
    expect(readFileSync(join(dir, '2.sigs.json'), 'utf8')).to.equal('signatures 2')
  })

  it('have no proposal where there is no directory', () => {
    expect(new TrustFiles(join(scratch, 'nowhere')).readProposal(1)).to.equal(undefined)
  })
})

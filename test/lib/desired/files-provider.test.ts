// Which files a list of paths means, and what is said of those that cannot be read.
import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {expect} from 'chai'
import {EmptyProvider} from '../../../src/lib/desired/empty-provider.ts'
import {FilesProvider} from '../../../src/lib/desired/files-provider.ts'
import {MAX_FILE_BYTES} from '../../../src/lib/desired/read-file.ts'
import type {DesiredReading} from '../../../src/lib/model/desired.ts'

const guest = (vmid: number): string => `felhom: 1\nguests: {${String(vmid)}: {kind: lxc}}\n`

describe('desired state from files', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-desired-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const put = (name: string, text: string): void => {
    mkdirSync(dirname(join(dir, name)), {recursive: true})
    writeFileSync(join(dir, name), text)
  }
  const load = (...paths: string[]): Promise<DesiredReading> => new FilesProvider(paths, {cwd: dir}).load()
  const filesOf = (reading: DesiredReading): readonly string[] =>
    reading.valid ? reading.state.files : reading.files
  const mistakesOf = (reading: DesiredReading): string[] =>
    reading.valid ? [] : reading.diagnostics.map(({code, file}) => `${code} ${file}`)

  it('takes every .yaml and .yml below a directory by name, and skips dot files and other files', async () => {
    const names = [
      'g/b.yaml',
      'g/a/z.yml',
      'g/a/y.yaml',
      'g/.hidden.yaml',
      'g/.git/x.yaml',
      'g/notes.md',
      'g/C.YAML',
    ]
    for (const [i, name] of names.entries()) put(name, guest(100 + i))
    const reading = await load('g')
    expect(filesOf(reading)).to.deep.equal(['g/C.YAML', 'g/a/y.yaml', 'g/a/z.yml', 'g/b.yaml'])
    expect(reading.valid && reading.state.guests.map(({vmid}) => vmid)).to.deep.equal([100, 101, 102, 106])
  })

  it('takes a file that is named, whatever its name, and names files outside by their whole path', async () => {
    put('guests.txt', guest(101))
    put('in/.dot.yaml', guest(102))
    expect(filesOf(await load('guests.txt', 'in/.dot.yaml'))).to.deep.equal(['guests.txt', 'in/.dot.yaml'])
    const outside = await new FilesProvider([join(dir, 'guests.txt')], {cwd: join(dir, 'in')}).load()
    expect(filesOf(outside)).to.deep.equal([join(dir, 'guests.txt')])
  })

  it('reads a file once that is named twice', async () => {
    put('g/a.yaml', guest(101))
    symlinkSync('a.yaml', join(dir, 'g/b.yaml'))
    const reading = await load('g/a.yaml', 'g', './g/../g/a.yaml')
    expect(reading.valid).to.equal(true)
    expect(filesOf(reading)).to.deep.equal(['g/a.yaml'])
  })

  it('follows links, but not round in a circle', async () => {
    put('g/a.yaml', guest(101))
    put('elsewhere/b.yaml', guest(102))
    symlinkSync('../elsewhere', join(dir, 'g/linked'))
    expect(filesOf(await load('g'))).to.deep.equal(['g/a.yaml', 'g/linked/b.yaml'])
    symlinkSync('..', join(dir, 'g/loop'))
    expect(mistakesOf(await load('g'))).to.include('directory_loop g/loop/g')
    symlinkSync('self.yaml', join(dir, 'self.yaml'))
    expect(mistakesOf(await load('self.yaml'))).to.deep.equal(['unreadable self.yaml'])
  })

  it('tells every path that cannot be read, and goes on with the others', async () => {
    put('bad.yaml', 'nope')
    mkdirSync(join(dir, 'empty'))
    symlinkSync('gone', join(dir, 'empty/dangling.yaml'))
    mkdirSync(join(dir, 'bare'))
    const reading = await load('missing', 'empty', 'bare', 'bad.yaml')
    expect(mistakesOf(reading)).to.deep.equal([
      'unreadable missing',
      'unreadable empty/dangling.yaml',
      'no_files bare',
      'not_a_map bad.yaml',
    ])
  })

  it('says that a file may not be read', async () => {
    put('secret.yaml', guest(101))
    chmodSync(join(dir, 'secret.yaml'), 0)
    chmodSync(dir, 0o755)
    // Root may read everything; for the length of the read it is nobody.
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    const reading = await load('secret.yaml').finally(() => {
      if (isRoot) process.seteuid?.(0)
    })
    expect(mistakesOf(reading)).to.deep.equal(['unreadable secret.yaml'])
  })

  it('reads no more than it may, even from a source without end', async () => {
    let given = 0
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) {
        given += 1 << 20
        yield await Promise.resolve(Buffer.alloc(1 << 20, 0x23))
      }
    }
    const reading = await new FilesProvider(['-'], {cwd: dir, stdin: endless()}).load()
    expect(mistakesOf(reading)).to.deep.equal(['too_large stdin'])
    expect(given).to.be.at.most(MAX_FILE_BYTES + (2 << 20))
    expect(mistakesOf(await load('/dev/zero'))).to.deep.equal(['too_large /dev/zero'])
  })

  it('takes standard input beside files, with paths relative to the working directory', async () => {
    put('a.yaml', guest(101))
    const text =
      'felhom: 1\nguests: {102: {kind: lxc, create: {template: local:vztmpl/x.tar.zst, password: {fromFile: pw}}}}\n'
    const stdin = async function* (): AsyncGenerator<Uint8Array> {
      for (const byte of Buffer.from(text)) yield await Promise.resolve(Buffer.of(byte))
    }
    const reading = await new FilesProvider(['-', 'a.yaml'], {cwd: dir, stdin: stdin()}).load()
    expect(filesOf(reading)).to.deep.equal(['stdin', 'a.yaml'])
    expect(reading.valid && reading.state.guests[1]?.create?.password).to.deep.equal({file: join(dir, 'pw')})
  })

  it('takes secrets of a file in a directory relative to that file', async () => {
    put(
      'g/sub/a.yaml',
      'felhom: 1\nguests: {102: {kind: lxc, create: {template: local:vztmpl/x.tar.zst, password: {fromFile: pw}}}}\n',
    )
    const reading = await load('g')
    expect(reading.valid && reading.state.guests[0]?.create?.password).to.deep.equal({
      file: join(dir, 'g/sub/pw'),
    })
  })

  it('is empty when there is no source at all', async () => {
    expect(await new EmptyProvider().load()).to.deep.equal({valid: true, state: {guests: [], files: []}})
  })
})

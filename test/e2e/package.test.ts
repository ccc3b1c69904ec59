// felhom packed and installed into an empty project: entries, types, command line, and the program of docs/library.md.
import {cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname, join} from 'node:path'
import {expect} from 'chai'
import {checkTypes, RESOLUTIONS} from '../support/check-types.ts'
import {installPacked, run} from '../support/packed-felhom.ts'
import {ENTRIES} from '../support/promised-names.ts'

const PAGE = readFileSync(new URL('../../docs/library.md', import.meta.url), 'utf8')
const CONSUMER = new URL('../fixtures/library/consumer.ts', import.meta.url)

/** The last two are of the page: without a type of their own they are TypeScript too. */
const PROGRAMS = ['consumer.ts', 'converge.ts', 'lab.ts']

/** The first block of that language, as it is printed. */
function blockOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(PAGE)?.[1]
  if (block === undefined) throw new Error(`docs/library.md has no ${language}`)
  return block
}

describe('felhom as an installed package', function () {
  this.timeout(180_000)
  let dir: string

  before(() => {
    dir = installPacked()
  })

  after(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const node = (code: string): string => run(process.execPath, ['--input-type=module', '-e', code], dir)
  const felhom = (...args: string[]): string => run(join(dir, 'node_modules/.bin/felhom'), args, dir)

  it('holds what is needed to run it, and no tests, sources or maps', () => {
    const root = join(dir, 'node_modules/felhom')
    expect(readdirSync(root).sort()).to.deep.equal([
      ...['LICENSE', 'README.md', 'bin', 'dist', 'examples', 'oclif.manifest.json', 'package.json', 'types'],
    ])
    const files = readdirSync(root, {recursive: true}) as string[]
    const superfluous = files.filter((file) => /(?<!\.d)\.ts$|\.map$|\.test\.|(?:^|\/)test\//.test(file))
    expect(superfluous).to.deep.equal([])
  })

  it('has three entries that can be imported, and export the names that are promised', () => {
    const names = node(`
      const namesOf = async (entry) => [entry, Object.keys(await import(entry)).sort()]
      const entries = ${JSON.stringify(ENTRIES.map(({entry}) => entry))}
      console.log(JSON.stringify(await Promise.all(entries.map(namesOf))))`)
    expect(JSON.parse(names)).to.deep.equal(ENTRIES.map(({entry, values}) => [entry, values]))
  })

  it('shows nothing else of itself, but its package.json', () => {
    const code = (path: string): string => `await import('${path}').catch(({code}) => console.log(code))`
    expect(node(code('felhom/dist/library/index.js'))).to.equal('ERR_PACKAGE_PATH_NOT_EXPORTED\n')
    const require = createRequire(join(dir, 'package.json'))
    expect(require('felhom/package.json')).to.include({name: 'felhom'})
  })

  it('has one FelhomError, whichever entry threw it', () => {
    const said = node(`
      import {FelhomError} from 'felhom'
      import {MemoryJournal} from 'felhom/testing'
      await new MemoryJournal().settle('r.1', {state: 'failed', by: 'engine', reason: ''})
        .catch((error) => console.log(error instanceof FelhomError))`)
    expect(said).to.equal('true\n')
  })

  describe('has types', () => {
    before(() => {
      cpSync(CONSUMER, join(dir, 'consumer.ts'))
      writeFileSync(join(dir, 'converge.ts'), blockOf('js'))
      writeFileSync(join(dir, 'lab.ts'), blockOf('mjs'))
      for (const name of ['@types/node', 'undici-types']) copyPackage(name)
    })

    /** With which any TypeScript program for Node is compiled; felhom does not bring it. */
    function copyPackage(name: string): void {
      const from = new URL(`../../node_modules/${name}`, import.meta.url)
      const to = join(dir, 'node_modules', name)
      mkdirSync(dirname(to), {recursive: true})
      cpSync(from, to, {recursive: true})
    }

    for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
      it(`that a strict program and a plugin compile against, resolved as ${name}`, () => {
        const {mistakes, declarations} = checkTypes(realpathSync(dir), PROGRAMS, resolution)
        expect(mistakes).to.deep.equal([])
        expect(declarations).to.include.members(ENTRIES.map(({file}) => `types/library/${file}.d.ts`))
      })
    }

    it('that ask for no file that is not there', () => {
      const types = join(dir, 'node_modules/felhom/types')
      const files = (readdirSync(types, {recursive: true}) as string[]).filter((file) => file.endsWith('.ts'))
      const asking = files.filter((file) =>
        /['"]\.[^'"]*\.ts['"]/.test(readFileSync(join(types, file), 'utf8')),
      )
      expect(asking).to.deep.equal([])
    })
  })

  it('runs the program of docs/library.md as it is printed', () => {
    writeFileSync(join(dir, 'guests.yaml'), blockOf('yaml'))
    writeFileSync(join(dir, 'converge.mjs'), blockOf('js'))
    const said = run(process.execPath, ['converge.mjs'], dir)
    expect(said).to.contain('# lxc/101 dns1 on pve1 will be updated in place')
    expect(said.endsWith(`\n${blockOf('text')}`), said).to.equal(true)
    expect(blockOf('js').split('\n').length).to.be.below(35)
  })

  it('runs the test of docs/library.md as it is printed', () => {
    writeFileSync(join(dir, 'lab.mjs'), blockOf('mjs'))
    expect(run(process.execPath, ['lab.mjs'], dir)).to.equal('')
  })

  it('brings the command line, which plans on the sandbox', () => {
    const {version} = JSON.parse(readFileSync(join(dir, 'node_modules/felhom/package.json'), 'utf8')) as {
      version: string
    }
    expect(felhom('--version')).to.match(new RegExp(`^felhom/${version} `))
    expect(run('npx', ['--no-install', 'felhom', '--version'], dir)).to.equal(felhom('--version'))
    expect(felhom('plan', '--sandbox')).to.match(/^Plan: \d+ to create/m)
  })
})

// Builds types/: the declarations of the package's entries and of what they reach, and nothing else. It runs before the
// package is packed, not with every build: whoever runs felhom needs none of it.
import {mkdirSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('..', import.meta.url))
const lib = join(root, 'src/lib')
const entries = ['index', 'plugin', 'testing'].map((name) => `library/${name}.d.ts`)

/** By path below src/lib. Types are checked elsewhere (`npm run types`), and once more by whoever uses these. */
function emitDeclarations() {
  const {config} = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const {options} = ts.parseJsonConfigFileContent({...config, include: [], files: []}, ts.sys, root)
  const program = ts.createProgram({
    rootNames: entries.map((entry) => join(lib, entry.replace(/\.d\.ts$/, '.ts'))),
    options: {...options, noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true},
  })
  const texts = new Map()
  const {emitSkipped} = program.emit(undefined, (_out, text, _mark, _onError, [source]) => {
    const file = relative(lib, source.fileName).replace(/\.ts$/, '.d.ts')
    texts.set(file, text.replaceAll(RELATIVE, '$1.js$2'))
  })
  if (emitSkipped) throw new Error('the declarations could not be written')
  return texts
}

/** `from './x.ts'` and `import("./x.ts")`: consumers have no such files. */
const RELATIVE = /((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g
const IMPORT = /(?:from |import\(|import )['"](\.[^'"]+)\.js['"]/g

function reach(texts, from) {
  const reached = new Set(from)
  for (const file of reached) {
    const text = texts.get(file)
    if (text === undefined) throw new Error(`there is no declaration ${file}`)
    for (const [, target] of text.matchAll(IMPORT)) reached.add(`${join(dirname(file), target)}.d.ts`)
  }
  return reached
}

const texts = emitDeclarations()
rmSync(join(root, 'types'), {recursive: true, force: true})
for (const file of reach(texts, entries)) {
  mkdirSync(dirname(join(root, 'types', file)), {recursive: true})
  writeFileSync(join(root, 'types', file), texts.get(file))
}

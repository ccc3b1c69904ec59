// What the build leaves out, or leaves for later, so that a command reads, compiles and runs only what it needs
// before its first request. None of it changes what a package does; each part says what it spares.
import {readFileSync} from 'node:fs'
import {createRequire} from 'node:module'
import {dirname} from 'node:path'

const {resolve: find} = createRequire(import.meta.url)

/**
 * Of undici the client uses the pool, the client and the connector; of oclif felhom uses these parts. The
 * packages' own indexes load fetch, web sockets, mocks, version checks and more besides, which every command
 * would have to read.
 */
const PARTS = {
  undici: `export {default as Pool} from 'undici/lib/dispatcher/pool.js'
export {default as Client} from 'undici/lib/dispatcher/client.js'
export {default as buildConnector} from 'undici/lib/core/connect.js'`,
  '@oclif/core': `export {Command} from '@oclif/core/command'
export {loadHelpClass} from '@oclif/core/help'
export {Config, Plugin} from '@oclif/core/config'
export {run} from '@oclif/core/run'
export {settings} from '@oclif/core/settings'
export * as Args from '@oclif/core/args'
export * as Flags from '@oclif/core/flags'
export * as Errors from '@oclif/core/errors'`,
}

const usedParts = {
  name: 'used-parts',
  setup(bundler) {
    bundler.onResolve({filter: /^(?:undici|@oclif\/core)$/}, ({path, importer}) =>
      importer.includes('node_modules') ? undefined : {path, namespace: 'used-parts'},
    )
    bundler.onLoad({filter: /.*/, namespace: 'used-parts'}, ({path}) => ({
      resolveDir: dirname(find('../package.json')),
      contents: PARTS[path],
    }))
  },
}

/**
 * What oclif needs only without a manifest, to spin, or to write help and errors of its own: taken from
 * node_modules when it is first used. The stand-in is a function because some of these packages are called.
 */
const LAZY = /^(?:tinyglobby|minimatch|cli-spinners|ejs|wrap-ansi|string-width|widest-line)$/
const lazyModule = (name) => `let real
const load = () => (real ??= require('node:module').createRequire(require.resolve('@oclif/core'))(${JSON.stringify(name)}))
module.exports = new Proxy(function () {}, {
  get: (_target, key) => (key === '__esModule' ? false : load()[key]),
  apply: (_target, _this, args) => load()(...args),
})`

const lazyPackages = {
  name: 'lazy-packages',
  setup(bundler) {
    bundler.onResolve({filter: LAZY}, ({path}) => ({path, namespace: 'lazy-packages'}))
    bundler.onLoad({filter: /.*/, namespace: 'lazy-packages'}, ({path}) => ({
      resolveDir: dirname(find('../package.json')),
      contents: lazyModule(path),
    }))
  },
}

/** Makes all of its colours when it is loaded, which whoever writes without colour does not need. */
const lazyAnsis = {
  name: 'lazy-ansis',
  setup(bundler) {
    bundler.onResolve({filter: /^ansis$/}, ({path, importer, namespace}) =>
      importer.includes('node_modules') || namespace === 'lazy-ansis'
        ? undefined
        : {path, namespace: 'lazy-ansis'},
    )
    bundler.onLoad({filter: /.*/, namespace: 'lazy-ansis'}, () => ({
      resolveDir: dirname(find('../package.json')),
      contents: 'exports.Ansis = function (level) { return new (require("ansis").Ansis)(level) }',
    }))
  },
}

/**
 * undici asks for its parser of answers when a connection stands, and for the bodies of `fetch` when one is sent,
 * which felhom never does: both stay in node_modules until then. HTTP/2 is never asked for.
 */
const slimUndici = {
  name: 'slim-undici',
  setup(bundler) {
    bundler.onResolve({filter: /\/(?:llhttp\/llhttp\w*-wasm|web\/fetch\/body)\.js$/}, ({path, importer}) =>
      importer.includes('undici')
        ? {path: `undici/lib/${path.replace(/^(?:\.\.\/)+/, '')}`, external: true}
        : undefined,
    )
    bundler.onResolve({filter: /\/client-h2\.js$/}, ({path}) => ({path, namespace: 'no-http2'}))
    bundler.onLoad({filter: /.*/, namespace: 'no-http2'}, () => ({contents: 'module.exports = undefined'}))
  },
}

/** As ES modules, from which the bundler can leave out what is not used. */
const slimYaml = {
  name: 'slim-yaml',
  setup(bundler) {
    bundler.onLoad({filter: /\/yaml\/dist\/.*\.js$/}, ({path}) => ({
      contents: toEsModule(readFileSync(path, 'utf8'), path),
    }))
  },
}

/**
 * The package has ES modules of its own, but those are for browsers, and they read `!!binary` in another way; so the
 * text that Node would run is kept, and only its imports and exports are written anew.
 */
function toEsModule(text, path) {
  const sources = new Map()
  const code = text
    .replaceAll(/^var ([\w$]+) = require\('([^']+)'\);$/gm, (_all, name, source) => {
      sources.set(name, source.startsWith('.') ? source : `node:${source}`)
      return `import * as ${name} from '${sources.get(name)}';`
    })
    .replaceAll(/^exports\.([\w$]+) = ([\w$]+);$/gm, 'export {$2 as $1};')
    .replaceAll(
      /^exports\.([\w$]+) = ([\w$]+)\.([\w$]+);$/gm,
      (_all, name, module, member) => `export {${member} as ${name}} from '${sources.get(module)}';`,
    )
  if (/\brequire\(|\bexports\b/.test(code)) throw new Error(`the build does not know the form of ${path}`)
  return code
}

const slimOclif = {
  name: 'slim-oclif',
  setup(bundler) {
    bundler.onLoad({filter: /@oclif\/core\/lib\/.*\.js$/}, ({path}) => {
      const text = askForWslAlone(readFileSync(path, 'utf8'))
      return {contents: requireWhenUsed(path.includes('/lib/config/') ? sortPlainly(text) : text)}
    })
    bundler.onLoad({filter: /@oclif\/core\/package\.json$/}, ({path}) => ({
      loader: 'json',
      contents: JSON.stringify({version: JSON.parse(readFileSync(path, 'utf8')).version}),
    }))
  },
}

/** The compiler's `const x_1 = require("x")` becomes a function that requires at the first use of `x_1`. */
function requireWhenUsed(text) {
  const declaration = /^const (\w+_\d+) = ((?:__import(?:Default|Star)\()?require\("[^"]+"\)\)?);$/gm
  const names = [...text.matchAll(declaration)].map(([, name]) => name)
  const declared = text.replaceAll(declaration, 'let of$1;\nconst later$1 = () => (of$1 ??= $2);')
  return names.reduce(
    (code, name) => code.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `(later${name}())`),
    declared,
  )
}

/** Sorting the names of commands needs no tables of collation, whose loading takes longer than the sorting. */
const sortPlainly = (text) =>
  text.replaceAll(/(\w+(?:\.\w+)*)\.localeCompare\((\w+(?:\.\w+)*)\)/g, '($1 < $2 ? -1 : $1 > $2 ? 1 : 0)')

/** Whether this is WSL is one module of a package that loads others besides, to start PowerShell. */
const askForWslAlone = (text) =>
  text.replaceAll("(await import('wsl-utils')).isWsl", "require('is-wsl').default")

export const slimPlugins = [usedParts, lazyPackages, lazyAnsis, slimUndici, slimYaml, slimOclif]

/**
 * An `import` of a built-in module makes Node read each of its exports, and some are loaded by being read; asking
 * for the module itself does not.
 */
export function askForBuiltins(text) {
  const statement =
    /(?<=^|[;}\n])import\s*(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}|\*\s*as ([\w$]+))?\s*from\s*"(node:[\w/]+)";/g
  const plain = text.replaceAll(statement, (_all, whole, names, namespace, module) => {
    const ask = `process.getBuiltinModule("${module}")`
    return [whole, namespace, names && `{${names.replaceAll(' as ', ':')}}`]
      .filter(Boolean)
      .map((target) => `const ${target}=${ask};`)
      .join('')
  })
  const left = /(?<=^|[;}\n])import[^;"]*"node:[\w/]+"/.exec(plain)
  if (left)
    throw new Error(`a built-in module is imported in a form that the build does not know: ${left[0]}`)
  return plain
}

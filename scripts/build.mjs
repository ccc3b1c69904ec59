// Builds dist/: esbuild with splitting, one entry per command, then oclif's manifest. Packages are bundled,
// because resolving and reading hundreds of small files is most of a command's start-up time.
import {build} from 'esbuild'
import {readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const commands = readdirSync(join(root, 'src/commands'), {recursive: true, withFileTypes: true})
  .filter((f) => f.isFile() && f.name.endsWith('.ts'))
  .map((f) => relative(root, join(f.parentPath, f.name)))
const entries = [...commands, 'src/lib/cli/main.ts', 'src/lib/cli/command-not-found.ts']

/**
 * Of undici the client uses the pool, the client and the connector; of oclif felhom uses these parts. The
 * packages' own indexes load fetch, web sockets, mocks, version checks and more besides, which every command
 * would have to read.
 */
const SLIM = {
  undici: `export {default as Pool} from 'undici/lib/dispatcher/pool.js'
export {default as Client} from 'undici/lib/dispatcher/client.js'
export {default as buildConnector} from 'undici/lib/core/connect.js'`,
  '@oclif/core': `export {Command} from '@oclif/core/command'
export {loadHelpClass} from '@oclif/core/help'
export {run} from '@oclif/core/run'
export {settings} from '@oclif/core/settings'
export * as Args from '@oclif/core/args'
export * as Flags from '@oclif/core/flags'
export * as Errors from '@oclif/core/errors'`,
}

/**
 * What oclif needs only without a manifest, or to spin, and undici only for HTTP/2: taken from node_modules when
 * it is first used. The stand-in is a function because some of these packages are called.
 */
const LAZY = /^(?:tinyglobby|minimatch|cli-spinners)$/
const lazyModule = (name) => `let real
const load = () => (real ??= require('node:module').createRequire(require.resolve('@oclif/core'))(${JSON.stringify(name)}))
module.exports = new Proxy(function () {}, {
  get: (_target, key) => (key === '__esModule' ? false : load()[key]),
  apply: (_target, _this, args) => load()(...args),
})`

/** Sorting the names of commands needs no tables of collation, whose loading takes longer than the sorting. */
const plainSorting = {
  name: 'plain-sorting',
  setup(bundler) {
    bundler.onLoad({filter: /@oclif\/core\/lib\/config\/.*\.js$/}, ({path}) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /(\w+(?:\.\w+)*)\.localeCompare\((\w+(?:\.\w+)*)\)/g,
        '($1 < $2 ? -1 : $1 > $2 ? 1 : 0)',
      ),
    }))
  },
}

const slimPackages = {
  name: 'slim-packages',
  setup(bundler) {
    bundler.onResolve({filter: /^(?:undici|@oclif\/core)$/}, ({path, importer}) =>
      importer.includes('node_modules') ? undefined : {path, namespace: 'slim-packages'},
    )
    bundler.onResolve({filter: LAZY}, ({path}) => ({path, namespace: 'lazy-packages'}))
    bundler.onResolve({filter: /\/client-h2\.js$/}, ({path}) => ({path, namespace: 'no-http2'}))
    bundler.onLoad({filter: /.*/, namespace: 'no-http2'}, () => ({contents: 'module.exports = undefined'}))
    bundler.onLoad({filter: /.*/, namespace: 'lazy-packages'}, ({path}) => ({
      resolveDir: root,
      contents: lazyModule(path),
    }))
    bundler.onLoad({filter: /.*/, namespace: 'slim-packages'}, ({path}) => ({
      resolveDir: root,
      contents: SLIM[path],
    }))
  },
}

// Built beside the old one and then put in its place, so that a program under way finds its files.
const fresh = `dist.${process.pid}`
await build({
  absWorkingDir: root,
  entryPoints: entries.map((file) => ({in: file, out: file.replace(/^src\//, '').replace(/\.ts$/, '')})),
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20.19',
  minify: true,
  legalComments: 'none',
  plugins: [plainSorting, slimPackages],
  // oclif asks for it only in development, to transpile.
  external: ['typescript', '@oclif/core/package.json'],
  banner: {
    js: "import {createRequire as felhomRequire} from 'node:module';const require=felhomRequire(import.meta.url);",
  },
  logLevel: 'warning',
})

rmSync(join(root, 'dist'), {recursive: true, force: true})
renameSync(join(root, fresh), join(root, 'dist'))

process.env.NODE_ENV = 'production'
const {Plugin} = await import('@oclif/core')
const plugin = new Plugin({
  root,
  ignoreManifest: true,
  errorOnManifestCreate: true,
  respectNoCacheDefault: true,
})
await plugin.load()
const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
writeFileSync(
  join(root, 'oclif.manifest.json'),
  `${JSON.stringify({...plugin.manifest, version}, null, 1)}\n`,
)

// Builds dist/: esbuild with splitting, one entry per command, then oclif's manifest. Packages are bundled,
// because resolving and reading hundreds of small files is most of a command's start-up time; for the same reason the
// program becomes CommonJS (ADR 0010). The library is built apart from that, as the ES modules that its users import:
// sharing chunks with it would cut the program into more files than a command should have to read.
import {build} from 'esbuild'
import {mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {toCommonJs} from './common-js.mjs'
import {askForBuiltins, slimPlugins} from './slim-bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const commands = readdirSync(join(root, 'src/commands'), {recursive: true, withFileTypes: true})
  .filter((f) => f.isFile() && f.name.endsWith('.ts'))
  .map((f) => relative(root, join(f.parentPath, f.name)))
const entries = [...commands, 'src/lib/cli/main.ts', 'src/lib/cli/command-not-found.ts']

// Built beside the old one and then put in its place, so that a program under way finds its files.
const fresh = `dist.${process.pid}`
const common = {
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
}
const program = build({
  ...common,
  entryPoints: entries.map((file) => ({in: file, out: file.replace(/^src\//, '').replace(/\.ts$/, '')})),
  outdir: fresh,
  mainFields: ['module', 'main'],
  outExtension: {'.js': '.cjs'},
  minify: true,
  legalComments: 'none',
  plugins: slimPlugins,
  write: false,
  // oclif asks for typescript only in development, to transpile. The others are the daemon's, which does not start
  // often, and name their exports in ways that only Node can read.
  external: ['typescript', 'pino', 'prom-client'],
})
// Legible, for the stack traces of others; packages stay packages, which their programs may share.
const library = build({
  ...common,
  entryPoints: ['index', 'plugin', 'testing'].map((name) => `src/lib/library/${name}.ts`),
  outdir: join(fresh, 'library'),
  packages: 'external',
})
const [{outputFiles}] = await Promise.all([program, library])
for (const {path, text} of outputFiles) {
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, await toCommonJs(askForBuiltins(text), path))
}

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

// Builds dist/: esbuild with splitting, one entry per command, then oclif's manifest. Packages are bundled,
// because resolving and reading hundreds of small files is most of a command's start-up time.
import {build} from 'esbuild'
import {mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'
import {askForBuiltins, slimPlugins} from './slim-bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const commands = readdirSync(join(root, 'src/commands'), {recursive: true, withFileTypes: true})
  .filter((f) => f.isFile() && f.name.endsWith('.ts'))
  .map((f) => relative(root, join(f.parentPath, f.name)))
const entries = [...commands, 'src/lib/cli/main.ts', 'src/lib/cli/command-not-found.ts']

// Built beside the old one and then put in its place, so that a program under way finds its files.
const fresh = `dist.${process.pid}`
const {outputFiles} = await build({
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
  plugins: slimPlugins,
  write: false,
  // oclif asks for typescript only in development, to transpile. The others are the daemon's, which does not start
  // often, and name their exports in ways that only Node can read.
  external: ['typescript', 'pino', 'prom-client'],
  banner: {
    js: "import {createRequire as felhomRequire} from 'node:module';const require=felhomRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
for (const {path, text} of outputFiles) {
  mkdirSync(dirname(path), {recursive: true})
  writeFileSync(path, askForBuiltins(text))
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

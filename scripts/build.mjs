// Builds dist/: esbuild with splitting, one entry per command, then oclif's manifest. Packages are bundled,
// because resolving hundreds of small files is most of a command's start-up time.
import {build} from 'esbuild'
import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {join, relative} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const commands = readdirSync(join(root, 'src/commands'), {recursive: true, withFileTypes: true})
  .filter((f) => f.isFile() && f.name.endsWith('.ts'))
  .map((f) => relative(root, join(f.parentPath, f.name)))

rmSync(join(root, 'dist'), {recursive: true, force: true})
await build({
  absWorkingDir: root,
  entryPoints: [...commands, 'src/lib/cli/main.ts', 'src/lib/cli/command-not-found.ts'].map((file) => ({
    in: file,
    out: file.replace(/^src\//, '').replace(/\.ts$/, ''),
  })),
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: true,
  legalComments: 'none',
  // oclif asks for it only in development, to transpile.
  external: ['typescript'],
  banner: {
    js: "import {createRequire as felhomRequire} from 'node:module';const require=felhomRequire(import.meta.url);",
  },
  logLevel: 'warning',
})

process.env.NODE_ENV = 'production'
const {Plugin} = await import('@oclif/core')
rmSync(join(root, 'oclif.manifest.json'), {force: true})
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

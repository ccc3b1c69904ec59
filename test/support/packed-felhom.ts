// felhom as others have it: packed, and installed by npm into an empty project. There need be no network: npm finds the
// packages that felhom depends on in the project already, as `npm ci` has put them into this one.
import {spawnSync} from 'node:child_process'
import {cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync} from 'node:fs'
import {readlinkSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {basename, dirname, join} from 'node:path'
import {fileURLToPath} from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The project's directory; whoever asked for it removes it. */
export function installPacked(): string {
  const dir = mkdtempSync(join(tmpdir(), 'felhom-packed-'))
  writeFileSync(join(dir, 'package.json'), '{"name": "consumer", "private": true, "type": "module"}\n')
  copyDependencies(dir)
  const tarball = join(dir, pack(dir))
  const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  run('npm', ['install', '--offline', ...quiet, tarball], dir)
  return dir
}

/** From dist/ as it was built; building it anew would pull it from under other tests. */
function pack(dir: string): string {
  run(process.execPath, ['scripts/build-types.mjs'], ROOT)
  const said = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', dir], ROOT)
  const [packed] = JSON.parse(said) as {filename: string}[]
  if (!packed) throw new Error('npm has packed nothing')
  return packed.filename
}

interface Lock {
  readonly packages: Readonly<Record<string, {dev?: boolean; devOptional?: boolean; optional?: boolean}>>
}

/** What `npm ci --omit=dev` would put there, the links to programs too: without them npm would fetch them again. */
function copyDependencies(dir: string): void {
  const {packages} = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  for (const [path, {dev, optional}] of Object.entries(packages)) {
    const isNested = path.lastIndexOf('node_modules/') > 0
    if (path === '' || isNested || dev === true || optional === true) continue
    mkdirSync(dirname(join(dir, path)), {recursive: true})
    cpSync(join(ROOT, path), join(dir, path), {recursive: true, verbatimSymlinks: true})
  }
  const bin = join(dir, 'node_modules/.bin')
  mkdirSync(bin, {recursive: true})
  for (const name of readdirSync(join(ROOT, 'node_modules/.bin'))) {
    const target = readlinkSync(join(ROOT, 'node_modules/.bin', name))
    if (existsSync(join(bin, target))) symlinkSync(target, join(bin, basename(name)))
  }
}

/** Its standard output; it must end well. */
export function run(program: string, args: readonly string[], cwd: string): string {
  const {status, stdout, stderr, error} = spawnSync(program, args, {cwd, encoding: 'utf8'})
  if (status === 0) return stdout
  throw new Error(`${basename(program)} ${args.join(' ')}: ${error?.message ?? `${stdout}\n${stderr}`}`)
}

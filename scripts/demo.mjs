// `npm run demo`: a tour on the embedded Proxmox. It starts the sandbox with the example homelab, shows what a
// person would type and what felhom answers, and cleans up after itself. Needs nothing but Node and npm.
import {spawn, spawnSync} from 'node:child_process'
import {existsSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'bin/run.js')
if (!existsSync(join(root, 'dist')))
  spawnSync('npm', ['run', '--silent', 'build'], {cwd: root, stdio: 'inherit'})

const colour = process.stdout.isTTY && !process.env.NO_COLOR
const strong = (text) => (colour ? `\u001b[1m${text}\u001b[22m` : text)
const dim = (text) => (colour ? `\u001b[2m${text}\u001b[22m` : text)
const project = mkdtempSync(join(tmpdir(), 'felhom-demo-'))
const sandbox = spawn(process.execPath, [bin, 'sandbox', '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
let failed = false

function end() {
  sandbox.kill('SIGTERM')
  rmSync(project, {recursive: true, force: true})
}
process.on('SIGINT', () => {
  end()
  process.exit(130)
})

function felhom(env, ...args) {
  console.log(`\n${strong(`$ felhom ${args.join(' ').replace(root, '')}`)}`)
  const {status} = spawnSync(process.execPath, [bin, ...args], {
    cwd: project,
    stdio: ['ignore', 'inherit', 'inherit'],
    env,
  })
  if (status !== 0) {
    console.log(dim(`(exit code ${status})`))
    failed = true
  }
}

const ready = await new Promise((resolve, reject) => {
  sandbox.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)))
  createInterface({input: sandbox.stdout}).once('line', (line) => resolve(JSON.parse(line)))
})
sandbox.removeAllListeners('exit')

const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('FELHOM_')),
)
const env = {
  ...inherited,
  XDG_CONFIG_HOME: project,
  FELHOM_ENDPOINT: ready.url,
  FELHOM_TLS__CA: ready.caFile,
  FELHOM_TOKEN: ready.tokens.full,
}
console.log(`An embedded Proxmox VE is listening on ${ready.url} for the length of this demo.`)
console.log(dim('It is not the real thing, but it answers as the real thing does.'))
felhom(env, 'guests')
felhom(env, 'doctor')
const homelab = ['--desired', join(root, 'examples/homelab/guests.yaml')]
felhom(env, 'plan', ...homelab)
felhom(env, 'apply', '--auto-approve', ...homelab)
felhom(env, 'plan', ...homelab)
felhom(env, 'journal', 'list')
console.log(
  `\nTry it yourself: ${strong('node bin/run.js sandbox')}, then ${strong('node bin/run.js guests')} in another terminal.`,
)
end()
process.exitCode = failed ? 1 : 0

// How long a person or a script waits before felhom does anything.
import {spawn} from 'node:child_process'
import {writeFileSync} from 'node:fs'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {compareRounds, type Outcome} from './harness.ts'
import {BIN, benchEnvironment, scratch, timeNode} from './processes.ts'

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url))
const EXAMPLE = join(EXAMPLES, 'homelab/guests.yaml')

export async function benchStartUp(rounds: number): Promise<Outcome[]> {
  const withPlugins = {FELHOM_DATA_DIR: installPlugins()}
  const r = await compareRounds(
    rounds,
    {
      node: () => timeNode(['-e', '0']),
      version: () => timeNode([BIN, '--version']),
      help: () => timeNode([BIN, '--help']),
      trivial: () => timeNode([BIN, 'version']),
      helpWithPlugins: () => timeNode([BIN, '--help'], withPlugins),
      trivialWithPlugins: () => timeNode([BIN, 'version'], withPlugins),
      firstRequest: () => timeFirstRequest(),
      firstRequestWithPlugins: () => timeFirstRequest(withPlugins),
    },
    'node',
  )
  const detail = (ms: number): string =>
    `${ms.toFixed(0)} ms against ${r.node.median.toFixed(0)} ms of node -e 0`
  return [
    {
      metric: 'felhom --version',
      value: r.version.ratio,
      goal: 1.4,
      better: 'smaller',
      detail: detail(r.version.median),
    },
    {metric: 'felhom --help', value: r.help.ratio, goal: 4, better: 'smaller', detail: detail(r.help.median)},
    {
      metric: 'felhom version, a trivial command',
      value: r.trivial.ratio,
      goal: 4,
      better: 'smaller',
      detail: detail(r.trivial.median),
    },
    {
      metric: 'felhom --help, with two plugins',
      value: r.helpWithPlugins.ratio,
      goal: 4,
      better: 'smaller',
      detail: detail(r.helpWithPlugins.median),
    },
    {
      metric: 'felhom version, with two plugins',
      value: r.trivialWithPlugins.ratio,
      goal: 4,
      better: 'smaller',
      detail: detail(r.trivialWithPlugins.median),
    },
    {
      metric: 'plan until its first request',
      value: r.firstRequest.ratio,
      goal: 4.5,
      better: 'smaller',
      detail: detail(r.firstRequest.median),
    },
    {
      // The only one of these that asks the plugins to register.
      metric: 'plan until its first request, with two plugins',
      value: r.firstRequestWithPlugins.ratio,
      goal: 4.5,
      better: 'smaller',
      detail: detail(r.firstRequestWithPlugins.median),
    },
  ]
}

/** The two examples, installed as people install them, into a data directory of their own. */
function installPlugins(): string {
  const dataDir = join(scratch, 'data')
  for (const name of ['felhom-plugin-csv', 'felhom-plugin-prod-stop'])
    timeNode([BIN, 'plugins', 'install', join(EXAMPLES, name)], {FELHOM_DATA_DIR: dataDir})
  return dataDir
}

/** Until the first bytes of felhom's first connection arrive: its TLS greeting. */
function timeFirstRequest(more: NodeJS.ProcessEnv = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      socket.once('data', () => {
        const ms = performance.now() - started
        child.kill('SIGKILL')
        socket.destroy()
        server.close()
        resolve(ms)
      })
      socket.on('error', () => undefined)
    })
    let started = 0
    let child: ReturnType<typeof spawn>
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const {port} = server.address() as {port: number}
      writeProject(`https://127.0.0.1:${String(port)}`)
      const env = benchEnvironment({FELHOM_TOKEN: 'root@pam!bench=secret', ...more})
      started = performance.now()
      child = spawn(process.execPath, [BIN, 'plan'], {env, cwd: scratch, stdio: 'ignore'})
    })
  })
}

/** A project as people have it: a settings file, and the example homelab as desired state. */
function writeProject(endpoint: string): void {
  const pin = `${'AB:'.repeat(31)}AB`
  const text = `felhom: 1\nendpoint: ${endpoint}\ntls: {fingerprints: ["${pin}"]}\ndesired: ${JSON.stringify(EXAMPLE)}\n`
  writeFileSync(join(scratch, 'felhom.yaml'), text)
}

// `plan` and `validate` on large clusters, against the parts they cannot do without: the state read and the bare
// parse of the same YAML.
import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {parseDocument} from 'yaml'
import {ApiToken} from '../src/lib/pve/api-token.ts'
import {Connection} from '../src/lib/pve/connection.ts'
import {createReader} from '../src/lib/pve/read.ts'
import {FilesProvider} from '../src/lib/desired/files-provider.ts'
import {planCluster} from '../src/lib/app/plan/plan-cluster.ts'
import {useDesired} from '../src/lib/app/source/use-desired.ts'
import {importYaml} from './import-yaml.ts'
import {generateSeed} from '../src/lib/sandbox/seed-generator.ts'
import {compareRounds, type Outcome} from './harness.ts'
import {BIN, peakMemory, scratch, startSandbox, timeNode, type SandboxProcess} from './processes.ts'

export async function benchPlan(rounds: number): Promise<Outcome[]> {
  const thousand = await prepare(1000)
  const fiveThousand = await prepare(5000)
  try {
    return [
      await benchWall(thousand, rounds),
      ...(await benchProcess(thousand, fiveThousand, Math.min(rounds, 3))),
      ...(await benchValidate(rounds)),
      {metric: 'plan CPU, against terraform core', why: 'terraform is not installed'},
    ]
  } finally {
    for (const {sandbox} of [thousand, fiveThousand]) sandbox.child.kill('SIGTERM')
  }
}

interface Lab {
  sandbox: SandboxProcess
  desired: string
}

async function prepare(guests: number): Promise<Lab> {
  const seed = join(scratch, `plan-seed-${String(guests)}.json`)
  const desired = join(scratch, `guests-${String(guests)}.yaml`)
  writeFileSync(seed, JSON.stringify(generateSeed(guests)))
  const sandbox = await startSandbox(seed)
  writeFileSync(desired, importYaml(guests))
  return {sandbox, desired}
}

const connect = ({sandbox}: Lab): Connection =>
  new Connection({
    endpoints: [sandbox.url],
    token: ApiToken.parse(sandbox.tokens.full),
    trust: {ca: readFileSync(sandbox.caFile, 'utf8')},
  })

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** In this process, warm: the whole plan against its state read plus a bare parse. */
async function benchWall(lab: Lab, rounds: number): Promise<Outcome> {
  const withReader = async <T>(work: (reader: ReturnType<typeof createReader>) => Promise<T>): Promise<T> => {
    const connection = connect(lab)
    try {
      return await work(createReader(connection))
    } finally {
      await connection.close()
    }
  }
  const parts = (): Promise<number> =>
    timed(async () => {
      await withReader((reader) => reader.readCluster())
      parseDocument(readFileSync(lab.desired, 'utf8')).toJS()
    })
  const plan = (): Promise<number> =>
    timed(() =>
      withReader((reader) =>
        planCluster({
          loadDesired: () => useDesired(new FilesProvider([lab.desired], {cwd: scratch})),
          readActual: () => reader.readCluster(),
          targets: [],
        }),
      ),
    )
  for (let i = 0; i < 3; i++) await plan()
  const r = await compareRounds(rounds, {parts, plan}, 'parts')
  const detail = `${r.plan.median.toFixed(0)} ms against ${r.parts.median.toFixed(0)} ms of state read and bare parse`
  return {metric: 'plan of 1,000 guests', value: r.plan.ratio, goal: 1.25, better: 'smaller', detail}
}

async function benchProcess(thousand: Lab, fiveThousand: Lab, rounds: number): Promise<Outcome[]> {
  const args = ({desired}: Lab): string[] => [BIN, 'plan', '--desired', desired]
  const env = ({sandbox: s}: Lab): NodeJS.ProcessEnv => ({
    FELHOM_ENDPOINT: s.url,
    FELHOM_TLS__CA: s.caFile,
    FELHOM_TOKEN: s.tokens.full,
  })
  const memory = await compareRounds(
    rounds,
    {
      node: () => peakMemory(['-e', '0']),
      thousand: () => peakMemory(args(thousand), env(thousand)),
      fiveThousand: () => peakMemory(args(fiveThousand), env(fiveThousand)),
    },
    'node',
  )
  const time = await compareRounds(
    rounds,
    {
      thousand: () => timeNode(args(thousand), env(thousand)),
      fiveThousand: () => timeNode(args(fiveThousand), env(fiveThousand)),
    },
    'thousand',
  )
  const mib = (bytes: number): string =>
    `${(bytes / 2 ** 20).toFixed(0)} MiB against ${(memory.node.median / 2 ** 20).toFixed(0)} of node -e 0`
  return [
    {
      metric: 'peak memory of plan, 1,000',
      value: memory.thousand.ratio,
      goal: 3.8,
      better: 'smaller',
      detail: mib(memory.thousand.median),
    },
    {
      metric: 'peak memory of plan, 5,000',
      value: memory.fiveThousand.ratio,
      goal: 8,
      better: 'smaller',
      detail: mib(memory.fiveThousand.median),
    },
    {
      metric: 'growth of plan, 1,000 to 5,000',
      value: time.fiveThousand.ratio,
      goal: 5.5,
      better: 'smaller',
      detail: `${(time.fiveThousand.median / 1000).toFixed(1)} s against ${(time.thousand.median / 1000).toFixed(1)} s`,
    },
  ]
}

/** In this process, warm: reading and checking against the bare parse of the same text. */
async function benchValidate(rounds: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const guests of [1000, 10_000]) {
    const file = join(scratch, `validate-${String(guests)}.yaml`)
    writeFileSync(file, importYaml(guests))
    const parse = (): Promise<number> =>
      timed(() => parseDocument(readFileSync(file, 'utf8')).toJS() as unknown)
    const validate = (): Promise<number> => timed(() => useDesired(new FilesProvider([file], {cwd: scratch})))
    await validate()
    const r = await compareRounds(guests === 1000 ? rounds : Math.min(rounds, 3), {parse, validate}, 'parse')
    const detail = `${r.validate.median.toFixed(0)} ms against ${r.parse.median.toFixed(0)} ms of the bare parse`
    outcomes.push({
      metric: `validate ${String(guests)} guests`,
      value: r.validate.ratio,
      goal: 1.3,
      better: 'smaller',
      detail,
    })
  }
  return outcomes
}

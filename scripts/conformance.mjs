// Replays the conversations recorded from the real Proxmox VE against sandboxes started from the built CLI,
// several at once, and prints the count per group.
//
//   npm run conformance [-- --scenarios DIR] [--seed FILE] [--only PREFIX] [--jobs N] [--verbose] [--json]
//
// Exit 0 when at least 95 % of all steps agree, in each group all but one step or 5 %, and every step that
// disagrees is listed with its reason in test/fixtures/pve/disagreements.md.
import {spawn, execFile} from 'node:child_process'
import {existsSync, readFileSync, readdirSync} from 'node:fs'
import {createInterface} from 'node:readline'
import {join, resolve} from 'node:path'
import {fileURLToPath} from 'node:url'
import {parseArgs} from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const fixtures = join(root, 'test/fixtures/pve')
const {values: options} = parseArgs({
  options: {
    scenarios: {type: 'string', default: join(fixtures, 'scenarios')},
    seed: {type: 'string'},
    only: {type: 'string', default: ''},
    jobs: {type: 'string', default: '6'},
    verbose: {type: 'boolean', default: false},
    json: {type: 'boolean', default: false},
  },
})
const scenarios = resolve(options.scenarios)
const seed = resolve(options.seed ?? join(scenarios, 'seed.json'))
const files = readdirSync(scenarios)
  .filter((f) => f.endsWith('.json') && f !== 'seed.json' && f.startsWith(options.only))
  .map((name) => ({name, waitMs: recordedMs(join(scenarios, name))}))
  // The slow ones first, so that none of them starts last.
  .sort((a, b) => b.waitMs - a.waitMs)
  .map(({name}) => name)

function recordedMs(file) {
  const {steps} = JSON.parse(readFileSync(file, 'utf8'))
  return steps.reduce(
    (sum, step) => sum + (step.elapsedMs ?? 0) + (step.sleepMs ?? 0) + (step.await ? 1000 : 0),
    0,
  )
}

function startSandbox() {
  const child = spawn(
    process.execPath,
    [join(root, 'bin/run.js'), 'sandbox', '--port', '0', '--seed', seed, '--json'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  return new Promise((done, fail) => {
    child.once('exit', (code) => fail(new Error(`felhom sandbox ended with ${code} before it was ready`)))
    createInterface({input: child.stdout}).once('line', (line) =>
      done({...JSON.parse(line), stop: () => child.kill('SIGTERM')}),
    )
  })
}

function replay(sandbox, file) {
  const args = [
    join(fixtures, 'replay.mjs'),
    '--url',
    sandbox.url,
    '--ca',
    sandbox.caFile,
    '--scenarios',
    scenarios,
    '--seed',
    seed,
  ]
  return new Promise((done, fail) => {
    execFile(
      process.execPath,
      [...args, '--only', file, '--json'],
      {maxBuffer: 1 << 26},
      (error, stdout, stderr) => {
        try {
          done(JSON.parse(stdout))
        } catch {
          fail(new Error(`${file}: ${stderr || error}`))
        }
      },
    )
  })
}

const groups = new Map()
const failures = []
const queue = [...files]

async function work() {
  const sandbox = await startSandbox()
  try {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const result = await replay(sandbox, file)
      for (const [name, {agree, steps}] of Object.entries(result.groups)) {
        const group = groups.get(name) ?? {agree: 0, steps: 0}
        groups.set(name, {agree: group.agree + agree, steps: group.steps + steps})
      }
      failures.push(...result.failures)
    }
  } finally {
    sandbox.stop()
  }
}

await Promise.all(Array.from({length: Math.max(1, Math.min(Number(options.jobs), files.length))}, work))

const total = {agree: 0, steps: 0}
const problems = []
for (const [name, {agree, steps}] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
  if (!options.json) console.log(`${name.padEnd(14)} ${agree} of ${steps}`)
  total.agree += agree
  total.steps += steps
  if (steps - agree > Math.max(1, Math.floor(steps * 0.05)))
    problems.push(`group ${name}: ${steps - agree} of ${steps} steps disagree`)
}
if (total.agree < total.steps * 0.95) problems.push('fewer than 95 % of all steps agree')
const listFile = join(fixtures, 'disagreements.md')
const listed = existsSync(listFile) ? readFileSync(listFile, 'utf8') : ''
for (const {file, step, why} of failures) {
  const known = listed.includes(`| ${file} | ${step} |`)
  if (!known) problems.push(`${file} ${step} disagrees and is not in disagreements.md`)
  if (options.verbose || !known) console.error(`${file} ${step}: ${why}`)
}

if (options.json)
  console.log(JSON.stringify({total, groups: Object.fromEntries(groups), failures, problems}, null, 1))
else console.log(`${total.agree} of ${total.steps} steps agree, ${files.length} scenarios`)
for (const problem of problems) console.error(`conformance: ${problem}`)
process.exitCode = problems.length === 0 ? 0 : 1

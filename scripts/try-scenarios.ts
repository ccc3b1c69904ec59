// Replays recorded scenarios against sandboxes in this process and prints every step that disagrees.
//   npx tsx scripts/try-scenarios.ts [--only PREFIX] [--jobs N] [--verbose] [--json]
import {execFile} from 'node:child_process'
import {readFileSync, readdirSync} from 'node:fs'
import {parseArgs} from 'node:util'
import {startSandbox} from '../src/lib/sandbox/server/start-sandbox.ts'

interface Result {
  total: {agree: number; steps: number}
  groups: Record<string, {agree: number; steps: number}>
  failures: {file: string; step: string; why: string}[]
}

const {values: options} = parseArgs({
  options: {
    only: {type: 'string', default: ''},
    jobs: {type: 'string', default: '4'},
    verbose: {type: 'boolean', default: false},
    json: {type: 'boolean', default: false},
  },
})
const folder = new URL('../test/fixtures/pve/', import.meta.url)
const scenarios = new URL('scenarios/', folder)
const seed: unknown = JSON.parse(readFileSync(new URL('seed.json', scenarios), 'utf8'))
const files = readdirSync(scenarios)
  .filter((f) => f.endsWith('.json') && f !== 'seed.json' && f.startsWith(options.only))
  .sort()

function replay(url: string, caFile: string, file: string): Promise<Result> {
  const script = new URL('replay.mjs', folder).pathname
  const args = [script, '--url', url, '--ca', caFile, '--only', file, '--json']
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, {maxBuffer: 1 << 26}, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout) as Result)
      } catch {
        reject(new Error(`${file}: ${stderr || (error?.message ?? 'no JSON')}`))
      }
    })
  })
}

const groups = new Map<string, {agree: number; steps: number}>()
const failures: Result['failures'] = []

async function work(queue: string[]): Promise<void> {
  const sandbox = await startSandbox({port: 0, seed})
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await replay(sandbox.url, sandbox.caFile, file)
    for (const [name, {agree, steps}] of Object.entries(result.groups)) {
      const group = groups.get(name) ?? {agree: 0, steps: 0}
      groups.set(name, {agree: group.agree + agree, steps: group.steps + steps})
    }
    failures.push(...result.failures)
    for (const f of result.failures)
      console.log(`${f.file} ${f.step}: ${options.verbose ? f.why : f.why.slice(0, 300)}`)
  }
  await sandbox.close()
}

const queue = [...files]
await Promise.all(Array.from({length: Math.min(Number(options.jobs), files.length)}, () => work(queue)))
const all = {agree: 0, steps: 0}
for (const [name, g] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${name.padEnd(14)} ${String(g.agree)} of ${String(g.steps)}`)
  all.agree += g.agree
  all.steps += g.steps
}
console.log(`${String(all.agree)} of ${String(all.steps)} steps agree, ${String(files.length)} scenarios`)
if (options.json) console.log(JSON.stringify({total: all, groups: Object.fromEntries(groups), failures}))
process.exit(failures.length === 0 ? 0 : 1)

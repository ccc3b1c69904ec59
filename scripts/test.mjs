// `npm test`: every check, all of them even when one fails, and a closing line with the count. A check is one
// test; the unit and end-to-end tests count one by one.
import {spawn} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'felhom-test-'))
let passed = 0
let failed = 0

/** What it says is shown when it has ended, since the words of two at once tell nothing. */
function run(title, command, args, env = {}) {
  const started = performance.now()
  return new Promise((done) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {...process.env, ...env},
    })
    const said = []
    child.stdout.on('data', (bytes) => said.push(bytes))
    child.stderr.on('data', (bytes) => said.push(bytes))
    child.once('close', (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`\n== ${title}`)
      process.stdout.write(Buffer.concat(said))
      console.log(`== ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
      done(status === 0)
    })
  })
}

async function check(title, script) {
  if (await run(title, 'npm', ['run', '--silent', script])) passed++
  else failed++
}

async function inOrder(...checks) {
  for (const [title, script] of checks) await check(title, script)
}

async function runShard(title, patterns) {
  const countFile = join(scratch, `${title}.json`)
  // A test that failed may leave a process behind: that must not hold up the others' verdict.
  const args = ['mocha', '--exit', ...patterns, '--reporter', 'scripts/mocha-reporter.cjs']
  count(countFile, await run(title, 'npx', args, {FELHOM_TEST_COUNTS: countFile}))
}

function count(countFile, isOk) {
  let counts = {passes: 0, failures: 1, files: {}}
  try {
    counts = JSON.parse(readFileSync(countFile, 'utf8'))
  } catch {
    console.error('the test runner left no counts')
  }
  passed += counts.passes
  failed += counts.failures
  if (!isOk && counts.failures === 0) failed++
  const dearest = Object.entries(counts.files).sort(([, x], [, y]) => y.cpu - x.cpu)
  for (const [file, {seconds, cpu}] of dearest.slice(0, 8))
    console.log(`   ${cpu.toFixed(0)} s of a processor in ${seconds.toFixed(0)} s: ${file}`)
}

await check('build', 'build')
// Two at a time: one thread each is all that most of these use, or they wait for child processes and disks.
await Promise.all([
  inOrder(['lint', 'lint']),
  inOrder(
    ['format', 'format:check'],
    ['rooms', 'rooms'],
    ['types', 'types'],
    ['generated files', 'generate:check'],
  ),
])
// Two halves that take about as long. The simulation is last, for it uses whatever the other half leaves free.
await Promise.all([
  runShard('unit and fault tests, the gate end to end', [
    'test/lib/**/*.test.ts',
    'test/faults/**/*.test.ts',
    'test/e2e/{gate,guests,journal}*.test.ts',
  ]).then(() => check('conformance with the recorded Proxmox', 'conformance')),
  runShard('other end-to-end tests, properties, simulation', [
    'test/e2e/!(gate|guests|journal)*.test.ts',
    'test/!(lib|faults|e2e)/**/*.test.ts',
  ]),
])

rmSync(scratch, {recursive: true, force: true})
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

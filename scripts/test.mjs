// `npm test`: every check, all of them even when one fails, and a closing line with the count. A check is one
// test; the unit and end-to-end tests count one by one.
import {spawn, spawnSync} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'felhom-test-'))
let passed = 0
let failed = 0

function run(title, args, env = {}) {
  console.log(`\n== ${title}`)
  const started = performance.now()
  const {status} = spawnSync('npm', ['run', '--silent', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {...process.env, ...env},
  })
  console.log(
    `== ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
  )
  return status === 0
}

function check(title, ...args) {
  if (run(title, args)) passed++
  else failed++
}

/** Its dots are shown when it has ended, since those of two at once tell nothing. */
function runShard(title, patterns) {
  const countFile = join(scratch, `${title}.json`)
  const started = performance.now()
  return new Promise((done) => {
    const child = spawn('npx', ['mocha', ...patterns, '--reporter', 'scripts/mocha-reporter.cjs'], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {...process.env, FELHOM_TEST_COUNTS: countFile},
    })
    const said = []
    child.stdout.on('data', (bytes) => said.push(bytes))
    child.stderr.on('data', (bytes) => said.push(bytes))
    child.once('close', (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      console.log(`\n== ${title}`)
      process.stdout.write(Buffer.concat(said))
      console.log(`== ${title}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`)
      count(countFile, status)
      done()
    })
  })
}

function count(countFile, status) {
  let counts = {passes: 0, failures: 1, seconds: {}}
  try {
    counts = JSON.parse(readFileSync(countFile, 'utf8'))
  } catch {
    console.error('the test runner left no counts')
  }
  passed += counts.passes
  failed += counts.failures
  if (status !== 0 && counts.failures === 0) failed++
  const slowest = Object.entries(counts.seconds).sort(([, x], [, y]) => y - x)
  for (const [file, seconds] of slowest.slice(0, 5)) console.log(`   ${seconds.toFixed(1)} s  ${file}`)
}

check('build', 'build')
check('format', 'format:check')
check('lint', 'lint')
check('rooms', 'rooms')
check('types', 'types')
check('generated files', 'generate:check')

// Two at a time: whoever waits for a child process or a disk leaves the core to the other.
await Promise.all([
  runShard('unit tests and simulation', ['test/lib/**/*.test.ts', 'test/simulation/**/*.test.ts']),
  runShard('end-to-end, property and fault tests', ['test/!(lib|simulation)/**/*.test.ts']),
])

check('conformance with the recorded Proxmox', 'conformance')

rmSync(scratch, {recursive: true, force: true})
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

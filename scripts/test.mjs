// `npm test`: every check, all of them even when one fails, and a closing line with the count. A check is one
// test; the unit and end-to-end tests count one by one.
import {spawnSync} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {fileURLToPath} from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'felhom-test-'))
const countFile = join(scratch, 'counts.json')
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

check('build', 'build')
check('format', 'format:check')
check('lint', 'lint')
check('rooms', 'rooms')
check('types', 'types')
check('generated files', 'generate:check')

const ok = run('unit and end-to-end tests', ['unit', '--', '--reporter', 'scripts/mocha-reporter.cjs'], {
  FELHOM_TEST_COUNTS: countFile,
})
let counts = {passes: 0, failures: 1}
try {
  counts = JSON.parse(readFileSync(countFile, 'utf8'))
} catch {
  console.error('the test runner left no counts')
}
passed += counts.passes
failed += counts.failures
if (!ok && counts.failures === 0) failed++

check('conformance with the recorded Proxmox', 'conformance')

rmSync(scratch, {recursive: true, force: true})
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

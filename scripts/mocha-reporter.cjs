// Mocha's dots, and what the file that FELHOM_TEST_COUNTS names is told: the counts, and the seconds each file took,
// by the clock and of a processor, its child processes' included: only the second says what a test costs others.
const {readFileSync, writeFileSync} = require('node:fs')
const {relative} = require('node:path')
const {reporters, Runner} = require('mocha')

/** Kernel ticks of this process and of its children that have ended; Linux counts a hundred a second. */
function cpuSeconds() {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const [user, system, childUser, childSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number)
  return (user + system + childUser + childSystem) / 100
}

module.exports = class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const files = {}
    let last = {seconds: performance.now() / 1000, cpu: cpuSeconds()}
    // From one end to the next, so that hooks count to the file that has them.
    runner.on(Runner.constants.EVENT_TEST_END, ({file}) => {
      const now = {seconds: performance.now() / 1000, cpu: cpuSeconds()}
      const spent = (files[relative(process.cwd(), file)] ??= {seconds: 0, cpu: 0})
      spent.seconds += now.seconds - last.seconds
      spent.cpu += now.cpu - last.cpu
      last = now
    })
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures, pending} = this.stats
      const file = process.env.FELHOM_TEST_COUNTS
      if (file) writeFileSync(file, JSON.stringify({passes, failures, pending, files}))
    })
  }
}

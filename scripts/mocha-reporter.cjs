// Mocha's dots, and what the file that FELHOM_TEST_COUNTS names is told: the counts, and the seconds each file took.
const {writeFileSync} = require('node:fs')
const {relative} = require('node:path')
const {reporters, Runner} = require('mocha')

module.exports = class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    const seconds = {}
    let last = performance.now()
    // From one end to the next, so that hooks count to the file that has them.
    runner.on(Runner.constants.EVENT_TEST_END, ({file}) => {
      const now = performance.now()
      const name = relative(process.cwd(), file)
      seconds[name] = (seconds[name] ?? 0) + (now - last) / 1000
      last = now
    })
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures, pending} = this.stats
      const file = process.env.FELHOM_TEST_COUNTS
      if (file) writeFileSync(file, JSON.stringify({passes, failures, pending, seconds}))
    })
  }
}

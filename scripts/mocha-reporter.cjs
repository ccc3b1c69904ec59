// Mocha's dots, and the counts written to the file that FELHOM_TEST_COUNTS names.
const {writeFileSync} = require('node:fs')
const {reporters, Runner} = require('mocha')

module.exports = class CountingReporter extends reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const {passes, failures, pending} = this.stats
      const file = process.env.FELHOM_TEST_COUNTS
      if (file) writeFileSync(file, JSON.stringify({passes, failures, pending}))
    })
  }
}

// Mutation testing of the gate: `npm run mutate`. See CONTRIBUTING.md.

/** Random or long: what they would catch, the others must catch by name. */
const LONG = ['*fuzz', 'sshsig-differential', 'crash-boundaries', 'trust-rotation']

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  mutate: ['src/lib/gate/**/*.ts'],
  testRunner: 'mocha',
  plugins: ['@stryker-mutator/mocha-runner'],
  testRunnerNodeArgs: ['--import', 'tsx'],
  mochaOptions: {
    file: ['test/support/forget-keys.ts'],
    spec: ['test/lib/gate/*.test.ts'],
    ignore: LONG.map((name) => `test/lib/gate/${name}.test.ts`),
  },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A mutant that ran out of time counts as caught: on a busy machine none must do so but those that never end.
  timeoutMS: 60_000,
  thresholds: {high: 95, low: 90, break: 90},
  ignorePatterns: ['dist', 'coverage', 'examples', 'bench', 'test/e2e', 'test/simulation'],
  reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
  clearTextReporter: {reportTests: false, logTests: false},
}

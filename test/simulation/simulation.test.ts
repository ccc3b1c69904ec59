import {expect} from 'chai'
import {CRASH_CASES} from './crash-cases.ts'
import {WRONG_POLICIES} from './policies.ts'
import type {Broken} from './run-batch.ts'
import {runLife} from './run-life.ts'
import {runParallel, seedBatches} from './run-parallel.ts'
import {tellBroken} from './tell-broken.ts'
import {TROUBLES} from './weather.ts'

const SEEDS = 2000
const SEEDS_PER_POLICY = 1000
/** Of a core that does much else meanwhile. */
const PATIENCE_MS = 600_000

async function expectNone([first]: readonly Broken[]): Promise<void> {
  if (first) expect.fail(await tellBroken(first))
}

/** These strike where something is asked for, and not by themselves. */
const SILENT: ReadonlySet<string> = new Set([
  ...['write error', 'sync error', 'short write', 'read fault', 'write fault', 'late effect'],
  ...['old state restored', 'bit flipped'],
])

/** What 2,000 lives must have met at least some times, or they prove less than they seem to. */
const EXPECTED = [
  ...TROUBLES.filter((trouble) => !SILENT.has(trouble)).map((trouble) => `event ${trouble}`),
  ...[
    'death by crash',
    'death by power loss',
    'old state restored',
    'bit flipped',
    'error journal_failed',
    'disarmed',
    'compacted',
  ],
  ...['set-config', 'resize', 'create', 'destroy', 'start', 'shutdown', 'restart'].map(
    (type) => `sent ${type}`,
  ),
  ...['succeeded', 'satisfied', 'failed', 'in_flight', 'frozen', 'stale', 'skipped', 'blocked'].map(
    (outcome) => `outcome ${outcome}`,
  ),
  ...[
    'create succeeded',
    'create quarantined',
    'destroy succeeded',
    'destroy quarantined',
    'start failed',
  ].map((end) => `recover ${end}`),
]

describe('felhom in bad weather', function () {
  this.timeout(PATIENCE_MS)

  it(`keeps its promises through ${SEEDS} lives full of trouble`, async () => {
    const {lives, broken, counts} = await runParallel(seedBatches(1, SEEDS))
    await expectNone(broken)
    expect(lives).to.equal(SEEDS)
    const never = EXPECTED.filter((what) => (counts.get(what) ?? 0) < 10)
    expect(never, 'the simulation no longer reaches these').to.deep.equal([])
  })

  it('lives the same life from the same seed', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const [one, two] = [await tellLife(seed), await tellLife(seed)]
      expect(one.join('\n')).to.equal(two.join('\n'))
      expect(one.length).to.be.greaterThan(10)
    }
  })

  it('recovers from a crash at any point of any operation, whatever Proxmox did meanwhile', async () => {
    const {lives, broken} = await runParallel(
      CRASH_CASES.map((_, caseIndex) => ({kind: 'crashes', caseIndex})),
    )
    await expectNone(broken)
    expect(lives).to.be.greaterThan(900)
  })
})

async function tellLife(seed: number): Promise<string[]> {
  const story: string[] = []
  await runLife({seed, trace: (line) => story.push(line)})
  return story
}

describe('a felhom that does it wrong', function () {
  this.timeout(PATIENCE_MS)

  for (const policy of Object.keys(WRONG_POLICIES)) {
    it(`is caught: ${policy}`, async () => {
      const {broken} = await runParallel(
        seedBatches(1, SEEDS_PER_POLICY, policy),
        (result) => !result.broken.some(isBrokenPromise),
      )
      expect(broken.filter(isBrokenPromise)).not.to.deep.equal([])
    })
  }
})

/** A process that ends with an error it should not end with is a mistake, but no broken promise. */
const isBrokenPromise = ({violations}: Broken): boolean => violations.some(({promise}) => promise !== 'bug')

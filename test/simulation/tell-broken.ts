// What a person needs to find out why a life went wrong: which promise, how to live it again, which kinds of trouble
// matter, and the end of its story.
import type {Broken} from './run-batch.ts'
import {WRONG_POLICIES} from './policies.ts'
import {runLife} from './run-life.ts'
import type {Trouble} from './weather.ts'

const LAST_LINES = 60

export async function tellBroken({where, seed, violations}: Broken, policy?: string): Promise<string> {
  const lines = [where, ...violations.slice(0, 5).map(({promise, message}) => `  ${promise}: ${message}`)]
  if (seed === undefined) return lines.join('\n')
  const needed = await findNeeded(seed, policy)
  const story: string[] = []
  await runLife({seed, ...policyOf(policy), trace: (line) => story.push(line)})
  return [
    ...lines,
    `  again: npm run simulate -- --seed ${seed} --verbose${policy === undefined ? '' : ` --policy '${policy}'`}`,
    `  troubles that matter: ${needed.length === 0 ? 'none' : needed.join(', ')}`,
    ...story.slice(-LAST_LINES),
  ].join('\n')
}

const policyOf = (name: string | undefined): {policy?: (typeof WRONG_POLICIES)[string]} => {
  const policy = name === undefined ? undefined : WRONG_POLICIES[name]
  return policy ? {policy} : {}
}

/** Leaves one kind of trouble out after another, as long as the life still goes wrong. */
async function findNeeded(seed: number, policy: string | undefined): Promise<Trouble[]> {
  const {troubles} = await runLife({seed, ...policyOf(policy)})
  const without = new Set<Trouble>()
  for (const trouble of troubles) {
    without.add(trouble)
    const {violations} = await runLife({seed, without, ...policyOf(policy)})
    if (violations.length === 0) without.delete(trouble)
  }
  return troubles.filter((trouble) => !without.has(trouble))
}

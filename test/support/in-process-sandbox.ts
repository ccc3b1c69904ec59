// A sandbox without HTTP in virtual time, started from the recorded seed unless a test has another.
import {readFileSync} from 'node:fs'
import {InProcessSandbox as Sandbox} from '../../src/lib/testing/in-process-sandbox.ts'

export {FULL_TOKEN} from '../../src/lib/testing/full-token.ts'
export type {Answer} from '../../src/lib/testing/in-process-sandbox.ts'

const seedText = readFileSync(new URL('../fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8')
const recordedSeed: unknown = JSON.parse(seedText)

export class InProcessSandbox extends Sandbox {
  constructor(seed: unknown = recordedSeed) {
    super(seed)
  }
}

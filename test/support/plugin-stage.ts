// What the suites about plugins in the built program have in common: one sandbox process for all of their tests, and for
// each a lab with one plugin listed and its settings written.
import {expect} from 'chai'
import type {Run} from './felhom.ts'
import {said} from './gate-lab.ts'
import {PluginLab} from './plugin-lab.ts'
import {startSandboxProcess, type SandboxProcess} from './sandbox-process.ts'

export const NAME = 'felhom-plugin-x'

export interface PluginStage {
  /** Of the test that runs. */
  readonly sandbox: SandboxProcess
  readonly lab: PluginLab
  readonly felhom: (...args: string[]) => Promise<Run>
}

/** Registers the hooks of the suite that it is called in. */
export function setPluginStage(furnish: (lab: PluginLab) => void): PluginStage {
  let sandbox: SandboxProcess
  let lab: PluginLab
  before(async () => {
    sandbox = await startSandboxProcess()
  })
  after(() => sandbox.stop())
  beforeEach(async () => {
    await sandbox.reset()
    lab = furnished(furnish)
  })
  afterEach(() => {
    lab.close()
  })
  return {
    get sandbox() {
      return sandbox
    },
    get lab() {
      return lab
    },
    felhom: (...args) => lab.felhom(args, {env: sandbox.env}),
  }
}

export function furnished(furnish: (lab: PluginLab) => void): PluginLab {
  const lab = new PluginLab()
  lab.list(NAME)
  furnish(lab)
  return lab
}

/** What it said. */
export async function expectCode(code: number, run: Promise<Run>): Promise<string> {
  const ended = await run
  expect(ended.code, said(ended)).to.equal(code)
  return said(ended)
}

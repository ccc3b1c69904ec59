// The entry of the program: settles colour once, then hands over to oclif.
import {execute, settings} from '@oclif/core'
import {settleColour} from './colour.ts'

export async function main(entryUrl: string, options: {development?: boolean} = {}): Promise<void> {
  settleColour(process.env, process.stdout.isTTY)
  settings.enableAutoTranspile = options.development === true
  await execute({dir: entryUrl, development: options.development === true})
}

// The example homelab's seed, parsed.
import {readFileSync} from 'node:fs'

const file = new URL('../../examples/homelab/sandbox.seed.json', import.meta.url)

export const homelabSeed: unknown = JSON.parse(readFileSync(file, 'utf8'))
export const LEAST_TOKEN = 'felhom@pve!felhom=33333333-4444-5555-6666-777777777777'

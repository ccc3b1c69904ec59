// The example homelab, as a sandbox starts from it.
import seed from '../../../examples/homelab/sandbox.seed.json' with {type: 'json'}

/** A copy of its own for each caller, who may change it. */
export const homelabSeed = (): unknown => structuredClone(seed)

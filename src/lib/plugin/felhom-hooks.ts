// The one hook of felhom in the form that oclif's types ask for: `Hook<'felhom:register', FelhomHooks>`. The contract
// itself needs no package.
import type {Interfaces} from '@oclif/core'
import type {RegisterOptions} from './contract.ts'

export interface FelhomHooks extends Interfaces.Hooks {
  'felhom:register': {
    // Spelled out, because oclif wants an object that it can look anything up in, which an interface is not.
    options: {[name in keyof RegisterOptions]: RegisterOptions[name]}
    return: unknown
  }
}

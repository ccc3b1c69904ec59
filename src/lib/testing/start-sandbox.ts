// An embedded Proxmox behind HTTPS on loopback, from the example homelab and on any free port unless told otherwise.
import {startSandbox as start, type Sandbox, type SandboxOptions} from '../sandbox/index.ts'
import {homelabSeed} from './homelab-seed.ts'

export const startSandbox = (options: Partial<SandboxOptions> = {}): Promise<Sandbox> =>
  start({port: 0, seed: homelabSeed(), ...options})

// What the rest of the house may use of the sandbox.
export {Api, type ApiAnswer, type ApiRequest} from './api.ts'
export {Cluster} from './cluster.ts'
export {VirtualClock, systemClock, type Clock} from './clock.ts'
export {loadSeed} from './seed.ts'
export {startSandbox, type Sandbox, type SandboxOptions} from './server/start-sandbox.ts'

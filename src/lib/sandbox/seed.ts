// Turns a seed, the JSON that describes a cluster before anything happens, into the sandbox's state.
// It touches nothing but its argument. A seed that it accepts is complete; else it throws a SeedError that names the place.
import {readRecordedSeed} from './seed/recorded-seed.ts'
import {SeedObject} from './seed/seed-reader.ts'
import type {ClusterState} from './state.ts'

export {SeedError} from './seed/seed-reader.ts'

export function loadSeed(json: unknown): ClusterState {
  return readRecordedSeed(new SeedObject(json, '$'))
}

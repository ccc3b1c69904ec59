// The options `sockets` and `cores`.
import type {Section} from '../../state.ts'

/** Processors that the machine can have at most. */
export const maxCpus = (config: Section): number =>
  (Number(config['sockets']) || 1) * (Number(config['cores']) || 1)

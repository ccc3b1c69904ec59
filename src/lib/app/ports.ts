// What use cases ask of the world, said by those who ask.
import type {DesiredReading} from '../model/desired.ts'
import type {CarriedEnvelope} from '../source/source.ts'

/** Where the desired state comes from. Mistakes in it are an answer, not an exception. */
export interface DesiredProvider {
  load(): Promise<DesiredReading>
  /** Those that came with it, once it is loaded. */
  approvals?(): Promise<readonly CarriedEnvelope[]>
}

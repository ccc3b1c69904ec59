// What a pass works with once the state directory is open and its source has answered.
import type {FullGate} from '../../gate/gate.ts'
import type {WritingAccess} from '../compose.ts'
import type {Inspector} from '../gate/signature-state.ts'
import type {OpenState} from '../state/open-state.ts'
import type {ClusterView} from './cluster-view.ts'
import type {Delivery} from './ports.ts'

export interface Scene {
  readonly state: OpenState
  readonly access: WritingAccess
  readonly gate: FullGate
  readonly inspector: Inspector
  readonly delivery: Delivery
  readonly view: ClusterView
}

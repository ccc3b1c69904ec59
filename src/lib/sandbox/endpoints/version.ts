// GET /version and GET /nodes/{node}/version.
import type {Call, Route} from '../call.ts'

const readVersion = (call: Call): unknown => ({...call.cluster.state.version})

export const routes: Route[] = [
  {method: 'GET', path: '/version', handler: readVersion},
  {method: 'GET', path: '/nodes/{node}/version', handler: readVersion},
]

// GET /version.
import type {Call, Route} from '../call.ts'

const readVersion = (call: Call): unknown => ({...call.cluster.state.version})

export const routes: Route[] = [{method: 'GET', path: '/version', handler: readVersion}]

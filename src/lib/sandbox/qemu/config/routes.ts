import type {Route} from '../../call.ts'

export const routes: Route[] = []

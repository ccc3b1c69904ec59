// Finds the route of a path in a tree of path patterns.
import type {Route} from './call.ts'
import {methodSchema, type MethodSchema} from './schema/api-schema.ts'

export interface Endpoint {
  route: Route
  schema: MethodSchema | undefined
}

export interface Match extends Endpoint {
  pathParams: Record<string, string>
}

interface Folder {
  fixed: Map<string, Folder>
  parameter?: {name: string; folder: Folder; takesRest: boolean}
  methods: Map<string, Endpoint>
}

/** The parameters that may hold slashes: a volume is named by all that follows. */
const TAKES_REST = new Set(['volume'])

const newFolder = (): Folder => ({fixed: new Map(), methods: new Map()})

export class Router {
  readonly #root = newFolder()

  constructor(routes: Route[]) {
    for (const route of routes) {
      const folder = segmentsOf(route.path).reduce(descend, this.#root)
      const schema = methodSchema(route.path, route.method) ?? route.schema
      folder.methods.set(route.method, {route, schema})
    }
  }

  find(method: string, path: string): Match | undefined {
    const pathParams: Record<string, string> = {}
    const segments = segmentsOf(path)
    let folder = this.#root
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i] ?? ''
      const child = folder.fixed.get(segment)
      if (child) {
        folder = child
        continue
      }
      const {parameter} = folder
      if (!parameter) return undefined
      const value = parameter.takesRest ? segments.slice(i).join('/') : segment
      if (!/^\S+$/.test(value)) return undefined
      pathParams[parameter.name] = value
      folder = parameter.folder
      if (parameter.takesRest) break
    }
    const endpoint = folder.methods.get(method)
    return endpoint && {...endpoint, pathParams}
  }
}

const segmentsOf = (path: string): string[] => path.split('/').filter((s) => s !== '')

function descend(folder: Folder, segment: string): Folder {
  const name = /^\{(.+)\}$/.exec(segment)?.[1]
  if (name !== undefined) {
    folder.parameter ??= {name, folder: newFolder(), takesRest: TAKES_REST.has(name)}
    return folder.parameter.folder
  }
  const child = folder.fixed.get(segment) ?? newFolder()
  folder.fixed.set(segment, child)
  return child
}

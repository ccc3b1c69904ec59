// The firewall as it is where nobody has ever set one up: reading finds no options, rules, aliases or sets,
// for a guest that does not exist, too.
import {createHash} from 'node:crypto'
import type {Route} from '../call.ts'
import {ANYONE, having, readMethod} from '../schema/read-method.ts'
import type {MethodSchema, Permissions, Schema} from '../schema/api-schema.ts'

const noOptions = {digest: createHash('sha1').digest('hex')}
const refTypes: Record<string, Schema> = {type: {enum: ['alias', 'ipset'], optional: 1, type: 'string'}}

interface Level {
  folder: string
  audits: Permissions
  children: string[]
  /** What the node answers itself; the rest is the same on every node. */
  onNode: string[]
}

const guestLevel = (kind: 'lxc' | 'qemu'): Level => ({
  folder: `/nodes/{node}/${kind}/{vmid}/firewall`,
  audits: having('/vms/{vmid}', 'VM.Audit'),
  children: ['rules', 'aliases', 'ipset', 'refs', 'options'],
  onNode: ['options'],
})

const LEVELS: Level[] = [
  {
    folder: '/cluster/firewall',
    audits: having('/', 'Sys.Audit'),
    children: ['aliases', 'rules', 'options', 'groups', 'ipset', 'macros', 'refs'],
    onNode: [],
  },
  {
    folder: '/nodes/{node}/firewall',
    audits: having('/nodes/{node}', 'Sys.Audit'),
    children: ['rules', 'options', 'log'],
    onNode: ['rules', 'options'],
  },
  guestLevel('lxc'),
  guestLevel('qemu'),
]

const EMPTY: Record<string, unknown> = {
  rules: [],
  aliases: [],
  ipset: [],
  groups: [],
  refs: [],
  options: noOptions,
}

function routesOf({folder, audits, children, onNode}: Level): Route[] {
  const get = (path: string, schema: MethodSchema, answer: unknown): Route => ({
    method: 'GET',
    path,
    schema,
    handler: (): unknown => structuredClone(answer),
  })
  const index = get(
    folder,
    readMethod(folder),
    children.map((name) => ({name})),
  )
  const known = children.filter((child) => child in EMPTY)
  return [
    index,
    ...known.map((child) => {
      const path = `${folder}/${child}`
      const permissions = child === 'groups' ? ANYONE : audits
      const properties = child === 'refs' ? refTypes : {}
      return get(
        path,
        readMethod(path, {permissions, properties, onNode: onNode.includes(child)}),
        EMPTY[child],
      )
    }),
  ]
}

export const routes: Route[] = LEVELS.flatMap(routesOf)

// Methods that Proxmox has and the recorded schema leaves out, written down in the schema's own form.
import type {MethodSchema, Permissions, Schema} from './types.ts'

const node: Schema = {format: 'pve-node', type: 'string'}
const vmid: Schema = {format: 'pve-vmid', maximum: 999_999_999, minimum: 100, type: 'integer'}
const flag: Schema = {optional: 1, type: 'boolean'}

const ANYONE: Permissions = {user: 'all'}
const onGuest = (...privileges: string[]): Permissions => ({
  check: ['perm', '/vms/{vmid}', privileges, ...(privileges.length > 1 ? ['any', 1] : [])],
})

function onNode(
  name: string,
  permissions: Permissions,
  properties: Record<string, Schema> = {},
): MethodSchema {
  return {
    name,
    permissions,
    proxyto: 'node',
    parameters: {additionalProperties: 0, properties: {node, ...properties}},
  }
}

function remoteMigrate(properties: Record<string, Schema>): MethodSchema {
  const method = onNode('remote_migrate_vm', onGuest('VM.Migrate'), {
    vmid,
    delete: {...flag, default: 0},
    online: flag,
    'target-bridge': {format: 'bridge-pair-list', type: 'string'},
    'target-endpoint': {format: 'proxmox-remote', type: 'string'},
    'target-storage': {format: 'storage-pair-list', type: 'string'},
    'target-vmid': {...vmid, optional: 1},
    ...properties,
  })
  return {...method, protected: 1}
}

export const extraMethods: Record<string, Record<string, MethodSchema>> = {
  '/nodes/{node}/capabilities': {GET: onNode('index', ANYONE)},
  '/nodes/{node}/dns': {GET: onNode('dns', {check: ['perm', '/nodes/{node}', ['Sys.Audit']]})},
  '/nodes/{node}/lxc/{vmid}/remote_migrate': {
    POST: remoteMigrate({
      bwlimit: {minimum: 0, optional: 1, type: 'number'},
      restart: flag,
      timeout: {default: 180, optional: 1, type: 'integer'},
    }),
  },
  '/nodes/{node}/qemu/{vmid}/cloudinit/dump': {
    GET: onNode('cloudinit_generated_config_dump', onGuest('VM.Audit'), {
      vmid,
      type: {enum: ['user', 'network', 'meta'], type: 'string'},
    }),
  },
  '/nodes/{node}/qemu/{vmid}/remote_migrate': {
    POST: remoteMigrate({bwlimit: {minimum: 0, optional: 1, type: 'integer'}}),
  },
  '/nodes/{node}/vzdump/extractconfig': {
    GET: {...onNode('extractconfig', ANYONE, {volume: {type: 'string'}}), protected: 1},
  },
}

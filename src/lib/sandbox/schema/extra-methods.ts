// Methods that Proxmox has and the recorded schema leaves out, written down in the schema's own form.
import type {MethodSchema} from './types.ts'

const guest = {
  node: {format: 'pve-node', type: 'string'},
  vmid: {format: 'pve-vmid', maximum: 999_999_999, minimum: 100, type: 'integer'},
} as const

export const extraMethods: Record<string, Record<string, MethodSchema>> = {
  '/nodes/{node}/lxc/{vmid}/remote_migrate': {
    POST: {
      name: 'remote_migrate_vm',
      permissions: {check: ['perm', '/vms/{vmid}', ['VM.Migrate']]},
      protected: 1,
      proxyto: 'node',
      parameters: {
        additionalProperties: 0,
        properties: {
          ...guest,
          bwlimit: {minimum: 0, optional: 1, type: 'number'},
          delete: {default: 0, optional: 1, type: 'boolean'},
          online: {optional: 1, type: 'boolean'},
          restart: {optional: 1, type: 'boolean'},
          'target-bridge': {format: 'bridge-pair-list', type: 'string'},
          'target-endpoint': {format: 'proxmox-remote', type: 'string'},
          'target-storage': {format: 'storage-pair-list', type: 'string'},
          'target-vmid': {...guest.vmid, optional: 1},
          timeout: {default: 180, optional: 1, type: 'integer'},
        },
      },
    },
  },
}

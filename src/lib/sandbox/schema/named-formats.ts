// Property strings that the schema refers to by name: their keys, and the checks across keys that some have.
import {methodSchema} from './api-schema.ts'
import {cpuTypes, reportedModels, vmCpuFlags} from './cpu-models.ts'
import {refuse} from './format-error.ts'
import type {ObjectFormat, Schema} from './types.ts'

type Data = Readonly<Record<string, string>>

export interface NamedFormat {
  format: ObjectFormat
  /** Runs on the parsed keys; refuses with a FormatError. */
  validate?: (data: Data) => void
}

const flag: Schema = {type: 'boolean', optional: 1}
const text: Schema = {type: 'string', optional: 1}
const integer: Schema = {type: 'integer', optional: 1}
const volume: Schema = {...text, format: 'pve-volume-id'}
const hexId: Schema = {...text, pattern: '(?^:^0x[0-9a-fA-F]{4}$)'}
const base64: Schema = {...text, pattern: '[A-Za-z0-9+\\/]+={0,2}'}
const keep: Schema = {...integer, minimum: 0}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0'

function checkPruning({'keep-all': all, ...counts}: Data): void {
  if (isSet(all) && Object.values(counts).some((count) => Number(count) > 0)) {
    refuse('keep-all cannot be set together with other options.')
  }
}

function checkCpu(data: Data): void {
  const type = data['cputype'] ?? ''
  if (!isSet(type)) refuse('CPU is missing cputype')
  if (type.startsWith('custom-')) refuse(`Custom cputype '${type.slice('custom-'.length)}' not found`)
  if (!cpuTypes.has(type)) {
    refuse(`Built-in cputype '${type}' is not defined (missing 'custom-' prefix?)`)
  }
  const allowed = (name: string): boolean => /^[+-]/.test(name) && vmCpuFlags.includes(name.slice(1))
  if (isSet(data['flags']) && !(data['flags'] ?? '').split(';').every(allowed)) {
    refuse(`VM-specific CPU flags must be a subset of: ${vmCpuFlags.join(', ')}`)
  }
  if (data['reported-model'] !== undefined) {
    refuse("Property 'reported-model' not allowed in VM-specific CPU config.")
  }
}

/** The keys of an IDE drive, without what only allocation knows. */
function ideFormat(): ObjectFormat {
  const schema = methodSchema('/nodes/{node}/qemu/{vmid}/config', 'PUT')
  const format = schema?.parameters.properties?.['ide[n]']?.format
  if (typeof format !== 'object') throw new Error('the schema has no ide[n]')
  return Object.fromEntries(Object.entries(format).filter(([key]) => key !== 'import-from'))
}

const PCI = '(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?'

export const objectFormats: Partial<Record<string, NamedFormat>> = {
  'backup-fleecing': {
    format: {enabled: {...flag, default_key: 1}, storage: {...text, format: 'pve-storage-id'}},
    validate: (data) => {
      if (!isSet(data['storage']) && isSet(data['enabled'])) {
        refuse("'storage' parameter is required when 'enabled' is set")
      }
    },
  },
  'backup-performance': {
    format: {
      'max-workers': {...integer, minimum: 1, maximum: 256},
      'pbs-entries-max': {...integer, minimum: 1},
    },
  },
  'proxmox-remote': {
    format: {
      apitoken: {type: 'string'},
      fingerprint: {...text, pattern: '([A-Fa-f0-9]{2}:){31}[A-Fa-f0-9]{2}'},
      host: {type: 'string'},
      port: integer,
    },
  },
  'prune-backups': {
    format: {
      'keep-all': flag,
      'keep-daily': keep,
      'keep-hourly': keep,
      'keep-last': keep,
      'keep-monthly': keep,
      'keep-weekly': keep,
      'keep-yearly': keep,
    },
    validate: checkPruning,
  },
  'pve-qemu-sev-fmt': {
    format: {
      'allow-smt': flag,
      'kernel-hashes': flag,
      'no-debug': flag,
      'no-key-sharing': flag,
      type: {type: 'string', default_key: 1, enum: ['std', 'es', 'snp'], maxLength: 3},
    },
  },
  'pve-qemu-tdx-fmt': {
    format: {
      attestation: {type: 'boolean'},
      type: {type: 'string', default_key: 1, enum: ['tdx']},
      'vsock-cid': {...integer, minimum: 2},
      'vsock-port': {...integer, minimum: 0},
    },
  },
  'pve-qm-boot': {
    format: {
      legacy: {...text, default_key: 1, pattern: '[acdn]{1,4}'},
      order: {...text, format: 'pve-qm-bootdev-list'},
    },
  },
  'pve-qm-cicustom': {format: {meta: volume, network: volume, user: volume, vendor: volume}},
  'pve-qm-hostpci': {
    format: {
      'device-id': hexId,
      driver: {...text, enum: ['vfio', 'keep']},
      host: {...text, default_key: 1, pattern: `(?^:${PCI}(;${PCI})*)`},
      'legacy-igd': flag,
      mapping: {...text, format: 'pve-configid'},
      mdev: {...text, pattern: '[^/\\.:]+'},
      pcie: flag,
      rombar: flag,
      romfile: {...text, pattern: '[^,;]+'},
      'sub-device-id': hexId,
      'sub-vendor-id': hexId,
      'vendor-id': hexId,
      'x-vga': flag,
    },
  },
  'pve-qm-ide': {format: ideFormat()},
  'pve-qm-ipconfig': {
    format: {
      gw: {...text, format: 'ipv4', requires: 'ip'},
      gw6: {...text, format: 'ipv6', requires: 'ip6'},
      ip: {...text, format: 'pve-ipv4-config'},
      ip6: {...text, format: 'pve-ipv6-config'},
    },
  },
  'pve-qm-rng': {
    format: {
      max_bytes: integer,
      period: integer,
      source: {type: 'string', default_key: 1, enum: ['/dev/urandom', '/dev/random', '/dev/hwrng']},
    },
  },
  'pve-qm-smbios1': {
    format: {
      base64: flag,
      family: base64,
      manufacturer: base64,
      product: base64,
      serial: base64,
      sku: base64,
      uuid: {...text, pattern: '[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}'},
      version: base64,
    },
  },
  'pve-qm-watchdog': {
    format: {
      action: {...text, enum: ['reset', 'shutdown', 'poweroff', 'pause', 'debug', 'none']},
      model: {...text, default_key: 1, enum: ['i6300esb', 'ib700']},
    },
  },
  'pve-vm-cpu-conf': {
    format: {
      cputype: {...text, default_key: 1},
      flags: {...text, pattern: '(?^:([+-])([a-zA-Z0-9\\-_\\.]+)(;([+-])([a-zA-Z0-9\\-_\\.]+))*)'},
      'guest-phys-bits': {...integer, minimum: 32, maximum: 64},
      hidden: flag,
      'hv-vendor-id': {...text, pattern: '(?^:[a-zA-Z0-9]{1,12})'},
      'phys-bits': {...text, format: 'pve-phys-bits'},
      'reported-model': {...text, enum: [...reportedModels]},
    },
    validate: checkCpu,
  },
}

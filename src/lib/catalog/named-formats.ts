// Property strings that the schema refers to by name only: what parts they have in Proxmox VE 9.1.
import type {PropertyFormat, PropertyPart} from './property-format.ts'

const text: PropertyPart = {type: 'string', optional: 1}
const flag: PropertyPart = {type: 'boolean', optional: 1, default: 0}
const volume: PropertyPart = {...text, format: 'pve-volume-id'}
const encoded: PropertyPart = {...text, pattern: '[A-Za-z0-9+/]+={0,2}'}
const pciId: PropertyPart = {...text, pattern: '0x[0-9a-fA-F]{4}'}
const seconds: PropertyPart = {type: 'integer', optional: 1, minimum: 0}
const PCI_ADDRESS = '(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?'
const CPU_FLAG = '[+-][a-zA-Z0-9\\-_.]+'
const UUID = '[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}'

export const NAMED_FORMATS = {
  'pve-startup-order': {
    order: {type: 'integer', optional: 1, minimum: 0, default_key: 1},
    up: seconds,
    down: seconds,
  },
  'pve-qm-boot': {
    legacy: {...text, default_key: 1, pattern: '[acdn]{1,4}', default: 'cdn'},
    order: {...text, format: 'pve-qm-bootdev-list'},
  },
  'pve-vm-cpu-conf': {
    cputype: {type: 'string', default_key: 1, default: 'kvm64'},
    flags: {...text, pattern: `${CPU_FLAG}(?:;${CPU_FLAG})*`},
    'guest-phys-bits': {type: 'integer', optional: 1, minimum: 32, maximum: 64},
    hidden: flag,
    'hv-vendor-id': {...text, pattern: '[a-zA-Z0-9]{1,12}'},
    'phys-bits': {...text, format: 'pve-phys-bits'},
  },
  'pve-qm-hostpci': {
    host: {...text, default_key: 1, pattern: `${PCI_ADDRESS}(?:;${PCI_ADDRESS})*`},
    mapping: {...text, format: 'pve-configid'},
    driver: {...text, enum: ['vfio', 'keep'], default: 'vfio'},
    'legacy-igd': flag,
    mdev: {...text, pattern: '[^/.:]+'},
    pcie: flag,
    rombar: {...flag, default: 1},
    romfile: {...text, pattern: '[^,;]+'},
    'x-vga': flag,
    'vendor-id': pciId,
    'device-id': pciId,
    'sub-vendor-id': pciId,
    'sub-device-id': pciId,
  },
  'pve-qm-ipconfig': {
    ip: {...text, format: 'pve-ipv4-config'},
    gw: {...text, format: 'ipv4', requires: 'ip'},
    ip6: {...text, format: 'pve-ipv6-config'},
    gw6: {...text, format: 'ipv6', requires: 'ip6'},
  },
  'pve-qm-smbios1': {
    uuid: {...text, pattern: UUID},
    base64: flag,
    manufacturer: encoded,
    product: encoded,
    version: encoded,
    serial: encoded,
    sku: encoded,
    family: encoded,
  },
  'pve-qm-watchdog': {
    model: {...text, default_key: 1, enum: ['i6300esb', 'ib700'], default: 'i6300esb'},
    action: {...text, enum: ['reset', 'shutdown', 'poweroff', 'pause', 'debug', 'none']},
  },
  'pve-qm-rng': {
    source: {type: 'string', default_key: 1, enum: ['/dev/urandom', '/dev/random', '/dev/hwrng']},
    max_bytes: {type: 'integer', optional: 1, default: 1024},
    period: {type: 'integer', optional: 1, default: 1000},
  },
  'pve-qm-cicustom': {meta: volume, network: volume, user: volume, vendor: volume},
  'pve-qemu-sev-fmt': {
    type: {type: 'string', default_key: 1, enum: ['std', 'es', 'snp']},
    'no-debug': flag,
    'no-key-sharing': flag,
    'allow-smt': {...flag, default: 1},
    'kernel-hashes': flag,
  },
  'pve-qemu-tdx-fmt': {
    type: {type: 'string', default_key: 1, enum: ['tdx']},
    attestation: {type: 'boolean', default: 1},
    'vsock-cid': {type: 'integer', optional: 1, minimum: 2, default: 2},
    'vsock-port': {type: 'integer', optional: 1, minimum: 0, default: 4050},
  },
} as const satisfies Record<string, PropertyFormat>

// Property strings that the API schema only names: their parts, as Proxmox VE 9.1 has them.
import type {PropertyFormat, PropertyPart} from '../src/lib/catalog/property-format.ts'

const flag: PropertyPart = {type: 'boolean', optional: 1, default: 0}
const text: PropertyPart = {type: 'string', optional: 1}
const integer: PropertyPart = {type: 'integer', optional: 1}
const volume: PropertyPart = {...text, format: 'pve-volume-id'}
const hexId: PropertyPart = {...text, pattern: '0x[0-9a-fA-F]{4}'}
const base64: PropertyPart = {...text, pattern: '[A-Za-z0-9+/]+={0,2}'}

const PCI = '(?:[a-f0-9]{4,}:)?[a-f0-9]{2}:[a-f0-9]{2}(?:\\.[a-f0-9])?'
const CPU_FLAG = '[+-][a-zA-Z0-9\\-_.]+'

export const NAMED_FORMATS: Readonly<Record<string, PropertyFormat>> = {
  'pve-startup-order': {
    order: {...integer, default_key: 1, minimum: 0},
    up: {...integer, minimum: 0},
    down: {...integer, minimum: 0},
  },
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
    'vsock-cid': {...integer, minimum: 2, default: 2},
    'vsock-port': {...integer, minimum: 0, default: 4050},
  },
  'pve-qm-boot': {
    legacy: {...text, default_key: 1, pattern: '[acdn]{1,4}', default: 'cdn'},
    order: {...text, format: 'pve-qm-bootdev-list', separator: ';'},
  },
  'pve-qm-cicustom': {meta: volume, network: volume, user: volume, vendor: volume},
  'pve-qm-hostpci': {
    host: {...text, default_key: 1, pattern: `${PCI}(?:;${PCI})*`, separator: ';'},
    mapping: {...text, format: 'pve-configid'},
    rombar: {...flag, default: 1},
    romfile: {...text, pattern: '[^,;]+'},
    pcie: flag,
    'x-vga': flag,
    'legacy-igd': flag,
    mdev: {...text, pattern: '[^/.:]+'},
    'vendor-id': hexId,
    'device-id': hexId,
    'sub-vendor-id': hexId,
    'sub-device-id': hexId,
    driver: {...text, enum: ['vfio', 'keep'], default: 'vfio'},
  },
  'pve-qm-ipconfig': {
    ip: {...text, format: 'pve-ipv4-config', default: 'dhcp'},
    gw: {...text, format: 'ipv4', requires: 'ip'},
    ip6: {...text, format: 'pve-ipv6-config', default: 'dhcp'},
    gw6: {...text, format: 'ipv6', requires: 'ip6'},
  },
  'pve-qm-rng': {
    source: {type: 'string', default_key: 1, enum: ['/dev/urandom', '/dev/random', '/dev/hwrng']},
    max_bytes: {...integer, default: 1024},
    period: {...integer, default: 1000},
  },
  'pve-qm-smbios1': {
    uuid: {...text, pattern: '[a-fA-F0-9]{8}(?:-[a-fA-F0-9]{4}){3}-[a-fA-F0-9]{12}'},
    version: base64,
    serial: base64,
    manufacturer: base64,
    product: base64,
    sku: base64,
    family: base64,
    base64: flag,
  },
  'pve-qm-watchdog': {
    model: {...text, default_key: 1, enum: ['i6300esb', 'ib700'], default: 'i6300esb'},
    action: {...text, enum: ['reset', 'shutdown', 'poweroff', 'pause', 'debug', 'none']},
  },
  'pve-vm-cpu-conf': {
    cputype: {type: 'string', default_key: 1},
    hidden: flag,
    'hv-vendor-id': {...text, pattern: '[a-zA-Z0-9]{1,12}'},
    flags: {...text, pattern: `${CPU_FLAG}(?:;${CPU_FLAG})*`, separator: ';'},
    'phys-bits': {...text, format: 'pve-phys-bits'},
    'guest-phys-bits': {...integer, minimum: 32, maximum: 64},
  },
}

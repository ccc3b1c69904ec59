// Values that Proxmox could have stored, made from the catalog's own grammar.
import fc from 'fast-check'
import type {Option} from '../../../src/lib/catalog/option.ts'
import {
  indexFormat,
  type PropertyFormat,
  type PropertyPart,
} from '../../../src/lib/catalog/property-format.ts'
import {readPart} from '../../../src/lib/catalog/read-parts.ts'
import {nearestWord} from '../../../src/lib/model/nearest-word.ts'

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  address: ['192.0.2.1', '2001:DB8::1', 'ns.example.com'],
  'disk-size': ['8G', '16G', '51M', '528K', '1T'],
  'dns-name': ['web-1', 'Web.example.com', 'a'],
  ipv4: ['192.0.2.1', '198.51.100.7'],
  ipv6: ['2001:db8::1', '2001:DB8:0::1', 'fe80::1'],
  'lxc-ip-with-ll-iface': ['192.0.2.1', 'fe80::1%eth0', '2001:DB8::1'],
  'mac-addr': ['BC:24:11:00:01:02', 'bc:24:11:aa:bb:cc', '02:00:00:00:00:01'],
  'pve-bridge-id': ['vmbr0', 'vmbr1'],
  'pve-configid': ['gpu', 'share'],
  'pve-cpuset': ['0-1', '1,0', '0,2-3'],
  'pve-ct-timezone': ['host', 'Europe/Budapest'],
  'pve-hotplug-feature': ['network', 'disk', 'usb', 'memory'],
  'pve-ipv4-config': ['dhcp', 'manual', '192.0.2.5/24'],
  'pve-ipv6-config': ['auto', 'dhcp', '2001:DB8::5/64', '2001:db8::5/64'],
  'pve-lxc-dev-string': ['/dev/null', '/dev/dri/card0'],
  'pve-lxc-mp-string': ['local:101/vm-101-disk-0.raw', 'local:8', 'lvm:0.05', '/data', 'lvm:vm-101-disk-1'],
  'pve-phys-bits': ['host', '40'],
  'pve-qm-bootdev-list': ['scsi0', 'scsi0;net0', 'net0;scsi0'],
  'pve-qm-bootdisk': ['scsi0', 'ide2'],
  'pve-storage-id': ['local', 'local-lvm'],
  'pve-tag': ['web', 'Web', 'prod', 'a.b'],
  'pve-volume-id': ['local:snippets/a.yaml', 'local:101/vm-101-disk-9.raw'],
  'pve-volume-id-or-absolute-path': ['local:import/a.qcow2', '/srv/a.raw'],
  'pve-volume-id-or-qm-path': [
    'local:201/vm-201-disk-0.qcow2',
    'local:8',
    'local:0.5',
    'lvm:32',
    'lvm:vm-201-disk-1',
    'local:cloudinit',
    'local:201/vm-201-cloudinit.qcow2',
    'none',
    'cdrom',
    'local:iso/a.iso',
  ],
  urlencoded: ['abc', 'a%20b'],
}

function sample(format: string | undefined): fc.Arbitrary<string> | undefined {
  const samples = format === undefined ? undefined : SAMPLES[format]
  return samples && fc.constantFrom(...samples)
}

interface Spec extends Pick<PropertyPart, 'type' | 'minimum' | 'maximum' | 'enum' | 'pattern'> {
  format?: string | undefined
}

function arbitraryScalar(spec: Spec): fc.Arbitrary<string> {
  switch (spec.type) {
    case 'boolean':
      return fc.constantFrom('0', '1')
    case 'integer': {
      const minimum = spec.minimum ?? 0
      return fc.integer({min: minimum, max: Math.min(spec.maximum ?? Infinity, minimum + 2000)}).map(String)
    }
    case 'number':
      return fc
        .constantFrom('', '.0', '.50')
        .map((fraction) => `${String((spec.minimum ?? 0) + 1)}${fraction}`)
    case 'string':
      if (spec.enum) return fc.constantFrom(...spec.enum)
      return sample(spec.format) ?? arbitraryText(spec.pattern)
  }
}

function arbitraryText(pattern: string | undefined): fc.Arbitrary<string> {
  if (pattern === undefined) return fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/)
  return fc.stringMatching(new RegExp(`^(?:${pattern})$`)).filter((text) => text.length < 200)
}

function arbitraryPart(part: PropertyPart): fc.Arbitrary<string> {
  const words = part.type === 'boolean' ? fc.constantFrom('0', '1') : arbitraryScalar(part)
  return words.filter(
    (text) => text.trim() === text && text !== '' && 'text' in readPart(part, text, nearestWord),
  )
}

/** Parts of a stored value: all that must be there, and some of the rest. */
export function arbitraryParts(format: PropertyFormat): fc.Arbitrary<Map<string, string>> {
  const {parts} = indexFormat(format)
  const required = [...parts].filter(([, part]) => !part.optional).map(([name]) => name)
  const shape = Object.fromEntries([...parts].map(([name, part]) => [name, arbitraryPart(part)]))
  return fc
    .record(shape, {requiredKeys: required})
    .map((record) => new Map(Object.entries(record)))
    .filter((made) => made.size > 0)
}

/** Parts of a map that somebody wrote: any of them, some null. */
export function arbitraryWish(
  format: PropertyFormat,
  isFixed: (name: string) => boolean,
): fc.Arbitrary<Map<string, string | null>> {
  const {parts} = indexFormat(format)
  const shape = Object.fromEntries(
    [...parts].map(([name, part]) => {
      const value = arbitraryPart(part)
      return [name, part.optional && !isFixed(name) ? fc.option(value, {freq: 4}) : value]
    }),
  )
  return fc
    .record<Record<string, string | null>, string>(shape, {requiredKeys: []})
    .map((record) => new Map(Object.entries<string | null>(record)))
}

/** A text for an option without parts. */
export function arbitraryPlain(option: Option): fc.Arbitrary<string> {
  if (option.name === 'description') return fc.string({unit: 'grapheme', maxLength: 40})
  if (option.name === 'env') return fc.constantFrom('A=1', 'A=', 'A=1\0B=2 3')
  if (option.listFormat === undefined) return arbitraryScalar({...option, format: option.textFormat})
  const item = sample(option.listFormat) ?? arbitraryText(undefined)
  return fc.array(item, {minLength: 1, maxLength: 4}).map((items) => items.join(option.separator ?? ' '))
}

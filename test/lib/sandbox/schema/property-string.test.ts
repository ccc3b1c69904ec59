import {expect} from 'chai'
import fc from 'fast-check'
import {methodSchema, type ObjectFormat, type Schema} from '../../../../src/lib/sandbox/schema/api-schema.ts'
import {objectFormats} from '../../../../src/lib/sandbox/schema/named-formats.ts'
import {perlRegex} from '../../../../src/lib/sandbox/schema/perl-regex.ts'
import {parsePropertyString, printPropertyString} from '../../../../src/lib/sandbox/schema/property-string.ts'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import {formatSize, parseSize} from '../../../../src/lib/sandbox/schema/sizes.ts'

function catchPveError(work: () => unknown): PveError {
  try {
    work()
  } catch (error) {
    if (error instanceof PveError) return error
  }
  throw new Error('no refusal')
}

/** Texts of every format and shape that the guests' property strings use; a pattern takes those that fit it. */
const SAMPLES: Record<string, string[]> = {
  CIDR: ['192.0.2.0/24'],
  'disk-size': ['8G', '512M', '1T', '1536K'],
  ipv4: ['192.0.2.1'],
  ipv6: ['2001:db8::1'],
  'mac-addr': ['BC:24:11:00:01:02', 'aa:bb:cc:dd:ee:00'],
  'pve-bridge-id': ['vmbr0', 'vmbr1.5'],
  'pve-configid': ['share', 'map-1'],
  'pve-ipv4-config': ['dhcp', 'manual', '192.0.2.5/24'],
  'pve-ipv6-config': ['auto', 'dhcp', '2001:db8::5/64'],
  'pve-lxc-dev-string': ['/dev/null'],
  'pve-lxc-mp-string': ['/data', '/srv/a b'],
  'pve-phys-bits': ['host', '40'],
  'pve-qm-bootdev-list': ['scsi0;net0', 'ide2'],
  'pve-storage-id': ['local', 'local-lvm'],
  'pve-volume-id': ['local:100/vm-100-disk-0.raw', 'local-lvm:vm-1-disk-2'],
  'pve-volume-id-or-absolute-path': ['/dev/sdb', 'local:1'],
  'pve-volume-id-or-qm-path': ['none', 'cdrom', 'local:8', '/dev/sdb'],
  urlencoded: ['a%20b', 'DISK-1'],
  pattern: [
    ...[
      '0644',
      '0x0123456789abcdef',
      '0x10de',
      '10',
      '1',
      '0-3',
      '0;2-5',
      '1234:5678',
      '2-1.4',
      'spice',
      'pc',
      'q35',
    ],
    ...[
      'abc',
      'ABC',
      'a',
      'cdn',
      'YWJj',
      'nfs;cifs',
      'noatime',
      'noatime;nosuid',
      'file.rom',
      '+aes;-pcid',
      '0000:00:02.0',
    ],
    ...['5aaa3a1c-f2ca-4053-97a3-bdbf4adfd4ff', '1-100', '512M', '1;2', 'passthrough', 'u:0:100000:65536'],
  ],
}

function valuesOf(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum.map(String))
  if (schema.type === 'boolean') return fc.constantFrom('0', '1')
  if (schema.type === 'integer' || schema.minimum !== undefined) {
    const minimum = Number(schema.minimum ?? 0)
    return fc.integer({min: minimum, max: Math.max(minimum, Number(schema.maximum ?? 100_000))}).map(String)
  }
  if (schema.type === 'number') return fc.constantFrom('1', '2.5', '0.125')
  if (typeof schema.format === 'string') return fc.constantFrom(...samples(schema.format))
  if (schema.pattern === undefined) return fc.stringMatching(/^[a-zA-Z0-9/:.-]{1,12}$/)
  const regex = perlRegex(schema.pattern, {whole: true})
  return fc.constantFrom(...samples('pattern').filter((sample) => regex.test(sample)))
}

function samples(format: string): string[] {
  const found = SAMPLES[format]
  if (!found) throw new Error(`no samples of ${format}`)
  return found
}

function dataOf(format: ObjectFormat): fc.Arbitrary<Record<string, string>> {
  const own = Object.entries(format).filter(([, schema]) => schema.alias === undefined)
  const required = own.filter(([, schema]) => schema.optional !== 1).map(([key]) => key)
  const record = fc.record(Object.fromEntries(own.map(([key, schema]) => [key, valuesOf(schema)])), {
    requiredKeys: required,
  }) as fc.Arbitrary<Record<string, string>>
  return record.filter((data) =>
    own.every(([key, {requires}]) => !(key in data) || !requires || requires in data),
  )
}

/** Sizes are printed in their shortest form. */
function normalized(data: Record<string, string>, format: ObjectFormat): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      format[key]?.format === 'disk-size' ? formatSize(parseSize(value) ?? 0) : value,
    ]),
  )
}

function inlineFormats(kind: string): [string, ObjectFormat][] {
  const properties = methodSchema(`/nodes/{node}/${kind}/{vmid}/config`, 'PUT')?.parameters.properties ?? {}
  return Object.entries(properties).flatMap(([option, {format}]): [string, ObjectFormat][] =>
    typeof format === 'object' ? [[option, format]] : [],
  )
}

describe('property strings', () => {
  const named = Object.entries(objectFormats).flatMap(([name, entry]): [string, ObjectFormat][] =>
    entry && name.startsWith('pve-q') ? [[name, entry.format]] : [],
  )
  const formats = [
    ...inlineFormats('lxc').map(([option, format]): [string, ObjectFormat] => [`lxc ${option}`, format]),
    ...inlineFormats('qemu').map(([option, format]): [string, ObjectFormat] => [`qemu ${option}`, format]),
    ...named,
  ]
  for (const [name, format] of formats) {
    it(`come back unchanged from print and parse: ${name}`, () => {
      fc.assert(
        fc.property(dataOf(format), (data) => {
          const printed = printPropertyString(data, format)
          expect({...parsePropertyString(format, printed)}).to.deep.equal(normalized(data, format))
          expect(printPropertyString(parsePropertyString(format, printed), format)).to.equal(printed)
        }),
        {numRuns: 60},
      )
    })
  }

  const net = formats.find(([name]) => name === 'qemu net[n]')?.[1] ?? {}
  const mp = formats.find(([name]) => name === 'lxc mp[n]')?.[1] ?? {}
  const lxcNet = formats.find(([name]) => name === 'lxc net[n]')?.[1] ?? {}

  it('remember the key that an alias was written with', () => {
    const data = parsePropertyString(net, 'virtio=BC:24:11:00:01:02,bridge=vmbr0')
    expect({...data}).to.deep.equal({model: 'virtio', macaddr: 'BC:24:11:00:01:02', bridge: 'vmbr0'})
    expect(printPropertyString(data, net)).to.equal('virtio=BC:24:11:00:01:02,bridge=vmbr0')
    expect(printPropertyString({model: 'virtio', bridge: 'vmbr0'}, net)).to.equal('virtio,bridge=vmbr0')
  })

  it('print the default key, then required keys, then the others by name', () => {
    const data = {volume: 'local:1', mp: '/x', size: String(3 * 1024 ** 3), backup: '1', acl: '0'}
    expect(printPropertyString(data, mp)).to.equal('local:1,mp=/x,acl=0,backup=1,size=3G')
    expect(printPropertyString(data, mp, ['size', 'acl'])).to.equal('local:1,mp=/x,backup=1')
    const eth = {bridge: 'vmbr0', name: 'eth0', hwaddr: 'BC:24:11:00:01:02', type: 'veth'}
    expect(printPropertyString(eth, lxcNet)).to.equal(
      'name=eth0,bridge=vmbr0,hwaddr=BC:24:11:00:01:02,type=veth',
    )
  })

  it('read booleans in many spellings and blank parts as nothing', () => {
    const data = parsePropertyString(lxcNet, 'name=eth0, ,firewall=Yes,link_down=off,')
    expect({...data}).to.deep.equal({name: 'eth0', firewall: '1', link_down: '0'})
  })

  const wrong: [format: ObjectFormat, text: string, complaint: string][] = [
    [net, 'virtio,e1000', 'duplicate key in comma-separated list property: model\n'],
    [net, 'virtio=BC:24:11:00:01:02,e1000=BC:24:11:00:01:03', "key alias 'model' is already defined\n"],
    [
      net,
      'virtio,macaddr=BC:24:11:00:01:02,bridge=a,bridge=b',
      'duplicate key in comma-separated list property: bridge\n',
    ],
    [net, 'virtio,=x', 'missing key in comma-separated list property\n'],
    [net, 'virtio,bridge=', 'missing key in comma-separated list property\n'],
    [lxcNet, 'hello', 'value without key, but schema does not define a default key\n'],
  ]
  for (const [format, text, complaint] of wrong) {
    it(`refuse ${text}`, () => {
      expect(() => parsePropertyString(format, text)).to.throw(complaint)
    })
  }

  it('tell wrong keys one by one, and all of them inside another text', () => {
    const refusal = catchPveError(() => parsePropertyString(net, 'bridge=vmbr0'))
    const missing = 'property is missing and it is not optional'
    expect(refusal).to.deep.include({status: 500, message: 'format error\n', errors: {model: missing}})
    expect(refusal.asText()).to.equal(`format error\nmodel: ${missing}\n`)
  })

  it('read over skipped keys', () => {
    expect({...parsePropertyString(lxcNet, 'name=eth0,foo=1', {skip: ['foo']})}).to.deep.equal({name: 'eth0'})
  })

  it('cannot print a value that has a comma', () => {
    expect(() => printPropertyString({volume: 'local:1', mp: '/a,b'}, mp)).to.throw(
      'illegal value with commas for mp',
    )
  })
})

describe('sizes', () => {
  it('are printed in the largest unit that divides them', () => {
    const sizes: Record<string, number> = {
      '0T': 0,
      '1023': 1023,
      '1K': 1024,
      '1536K': 1536 * 1024,
      '8G': 8 * 1024 ** 3,
      '2048T': 2048 * 1024 ** 4,
    }
    for (const [text, bytes] of Object.entries(sizes)) expect(formatSize(bytes)).to.equal(text)
  })

  it('are read with fractions and with IEC units', () => {
    expect(parseSize('1.5G')).to.equal(1.5 * 1024 ** 3)
    expect(parseSize('0.1K')).to.equal(102)
    expect(parseSize('4MiB')).to.equal(4 * 1024 ** 2)
    for (const text of ['', 'x', '8GB', '-1', '1.', '8 G']) expect(parseSize(text), text).to.equal(undefined)
  })

  it('come back from print and parse', () => {
    fc.assert(fc.property(fc.maxSafeNat(), (bytes) => parseSize(formatSize(bytes)) === bytes))
  })
})

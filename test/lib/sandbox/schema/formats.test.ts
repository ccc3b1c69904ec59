import {isIPv4, isIPv6} from 'node:net'
import {expect} from 'chai'
import fc from 'fast-check'
import {
  methodSchema,
  schemaPaths,
  type ObjectFormat,
  type Schema,
} from '../../../../src/lib/sandbox/schema/api-schema.ts'
import {checkFormat, isKnownFormat} from '../../../../src/lib/sandbox/schema/formats.ts'
import {objectFormats} from '../../../../src/lib/sandbox/schema/named-formats.ts'
import {perlRegex} from '../../../../src/lib/sandbox/schema/perl-regex.ts'

function* schemasOf(properties: ObjectFormat): Generator<Schema> {
  for (const schema of Object.values(properties)) {
    yield schema
    if (schema.items) yield schema.items
    if (typeof schema.format === 'object') yield* schemasOf(schema.format)
  }
}

function allSchemas(): Schema[] {
  const methods = schemaPaths().flatMap((path) =>
    ['GET', 'POST', 'PUT', 'DELETE'].flatMap((method) => methodSchema(path, method) ?? []),
  )
  const named = Object.values(objectFormats).flatMap((named) => (named ? [named.format] : []))
  return [...methods.map((method) => method.parameters.properties ?? {}), ...named].flatMap((p) => [
    ...schemasOf(p),
  ])
}

describe('formats', () => {
  it('are all known that the schema names', () => {
    const names = allSchemas().flatMap(({format}) => (typeof format === 'string' ? [format] : []))
    expect(names).to.have.length.above(500)
    expect([...new Set(names)].filter((name) => !isKnownFormat(name))).to.deep.equal([])
  })

  it('have patterns that all compile', () => {
    const patterns = allSchemas().flatMap(({pattern}) => (pattern === undefined ? [] : [pattern]))
    expect(patterns).to.have.length.above(50)
    for (const pattern of patterns) expect(() => perlRegex(pattern, {whole: true})).not.to.throw()
  })

  const cases: [format: string, right: string[], wrong: Record<string, string>][] = [
    [
      'pve-vmid',
      ['100', '999999999', '100\n'],
      {'99': 'value does not look like a valid VM ID\n', '0100': 'value does not look like a valid VM ID\n'},
    ],
    ['pve-node', ['pve', 'a', 'pve-1'], {'-pve': 'value does not look like a valid node name\n'}],
    [
      'pve-storage-id',
      ['local', 'local-lvm', 'a1'],
      {
        l: "storage ID 'l' cannot be shorter than 2 characters\n",
        local_: "storage ID 'local_' contains illegal characters\n",
      },
    ],
    ['pve-volume-id', ['local:100/x.raw', 'a1:x'], {local: "unable to parse volume ID 'local'\n"}],
    ['pve-volume-id-or-qm-path', ['none', 'cdrom', '/dev/sda'], {x: "unable to parse volume ID 'x'\n"}],
    ['pve-tag-list', ['a;b', 'A,b c', '', 'x_+.-'], {'a;-b': 'invalid characters in tag\n'}],
    ['email-opt', ['', 'a@b'], {a: 'value does not look like a valid email address\n'}],
    [
      'dns-name',
      ['a', 'a.b-c.d'],
      {a_b: 'value does not look like a valid DNS name\n', '': 'value does not look like a valid DNS name\n'},
    ],
    [
      'mac-addr',
      ['BC:24:11:00:01:02'],
      {'BD:24:11:00:01:02': 'value does not look like a valid unicast MAC address\n'},
    ],
    [
      'pve-ipv4-config',
      ['dhcp', 'manual', '10.0.0.1/8'],
      {'10.0.0.1/7': 'value does not look like a valid ipv4 network configuration\n'},
    ],
    [
      'pve-ipv6-config',
      ['auto', 'fe80::1/64', '::/128', '::ffff:1.2.3.4/96'],
      {'::1/129': 'value does not look like a valid ipv6 network configuration\n'},
    ],
    [
      'ipv6',
      ['::', '1::', '1:2:3:4:5:6:7:8', '1::8', '1:2:3:4:5:6:7::'],
      {
        '1:2:3:4:5:6:7': 'value does not look like a valid IPv6 address\n',
        '1::2::3': 'value does not look like a valid IPv6 address\n',
      },
    ],
    [
      'ipv4mask',
      ['0.0.0.0', '255.255.128.0', '255.255.255.255'],
      {'255.0.255.0': 'value does not look like a valid IP netmask\n'},
    ],
    [
      'pve-startup-order',
      ['order=1,up=2,down=3', '1', 'up=1', ' ,1'],
      {'0': 'unable to parse startup options\n', 'order=x': 'unable to parse startup options\n'},
    ],
    [
      'disk-size',
      ['8G', '1.5T', '512', '4KiB'],
      {'8GB': 'value does not look like a valid disk size: 8GB\n'},
    ],
    [
      'pve-qm-bootdev-list',
      ['scsi0;net0;ide2', 'hostpci15'],
      {net32: "invalid boot device 'net32'\n", efidisk0: "invalid boot device 'efidisk0'\n"},
    ],
    [
      'pve-vm-cpu-conf',
      ['host', 'cputype=x86-64-v2-AES,flags=+aes;-pcid'],
      {
        'hidden=1': 'CPU is missing cputype\n',
        nope: "Built-in cputype 'nope' is not defined (missing 'custom-' prefix?)\n",
        'custom-x': "Custom cputype 'x' not found\n",
        'host,phys-bits=4':
          "format error\nx.phys-bits: invalid format - value must be an integer between 8 and 64 or 'host'\n\n",
      },
    ],
    [
      'lxc-ip-with-ll-iface-list',
      ['192.0.2.1 ::1', 'fe80::1%eth0'],
      {'fe80::1%': 'value does not look like a valid IP address\n'},
    ],
    ['address', ['0.0.0.0', 'a.b', '::1'], {'0': 'value does not look like a valid address: 0\n'}],
    [
      'storage-pair-list',
      ['local:other,a1', '1', '0'],
      {'a:b:c': "entry 'a:b:c' contains invalid ID - storage ID 'a:b:c' contains illegal characters\n\n\n"},
    ],
    [
      'pve-poolid',
      ['a/b/c'],
      {
        'a/b/c/d': "pool name 'a/b/c/d' nested too deeply (max levels = 3)\n",
        'a b': "pool name 'a b' contains invalid characters\n",
      },
    ],
    [
      'pve-userid',
      ['root@pam'],
      {ab: "user name 'ab' is too short\n", root: "value 'root' does not look like a valid user name\n"},
    ],
    [
      'prune-backups',
      ['keep-last=3,keep-daily=7', 'keep-all=1'],
      {'keep-all=1,keep-last=2': 'keep-all cannot be set together with other options.\n'},
    ],
    ['pve-hotplug-features', ['0', '1', 'disk,network'], {'disk,foo': "invalid hotplug feature 'foo'\n"}],
    [
      'pve-lxc-mp-string',
      ['/data', '/a..b'],
      {
        '/a/../b': '/a/../b contains illegal character sequences\n',
        '/a/..': '/a/.. contains illegal character sequences\n',
      },
    ],
    [
      'pve-qm-ide',
      ['local:8,media=disk', 'volume=none'],
      {'file=none,volume=cdrom': "key 'file' is already defined (via alias)\n"},
    ],
  ]
  for (const [format, right, wrong] of cases) {
    it(`accepts and refuses as ${format}`, () => {
      for (const value of right) expect(checkFormat(format, value, 'x'), value).to.equal(undefined)
      for (const [value, text] of Object.entries(wrong))
        expect(checkFormat(format, value, 'x'), value).to.equal(text)
    })
  }

  it('know the same addresses as the platform does', () => {
    const address = fc.oneof(fc.ipV6(), fc.ipV4(), fc.stringMatching(/^[0-9a-f:.]{1,24}$/))
    const damaged = fc.tuple(address, fc.nat(40)).map(([text, at]) => text.slice(0, at) + text.slice(at + 1))
    fc.assert(
      fc.property(fc.oneof(address, damaged), (text) => {
        expect(checkFormat('ipv4', text) === undefined, text).to.equal(isIPv4(text))
        expect(checkFormat('ipv6', text) === undefined, text).to.equal(isIPv6(text))
        expect(checkFormat('ip', text) === undefined, text).to.equal(isIPv4(text) || isIPv6(text))
      }),
      {numRuns: 500},
    )
  })
})

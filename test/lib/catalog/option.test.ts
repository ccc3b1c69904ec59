import {execFileSync} from 'node:child_process'
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {findOption, listFamilies, optionNames} from '../../../src/lib/catalog/option.ts'
import {GUEST_KINDS} from '../../../src/lib/model/guest.ts'
import {readOptionFacts} from '../../support/recorded-option-facts.ts'

const root = new URL('../../../', import.meta.url)
const REQUEST = new Set('delete digest force node revert skiplock vmid'.split(' '))

interface Schema {
  paths: Record<string, {PUT?: {parameters: {properties: Record<string, unknown>}}}>
}

function schemaFamilies(kind: string): string[] {
  const text = readFileSync(new URL('test/fixtures/pve/api-schema.json', root), 'utf8')
  const {PUT} = (JSON.parse(text) as Schema).paths[`/nodes/{node}/${kind}/{vmid}/config`] ?? {}
  return Object.keys(PUT?.parameters.properties ?? {}).filter((name) => !REQUEST.has(name))
}

describe('the catalog of options', () => {
  for (const [kind, count] of [
    ['lxc', 32],
    ['qemu', 81],
  ] as const) {
    it(`has every family that the schema has for ${kind}, and nothing else`, () => {
      const families = listFamilies(kind).map(({family}) => family)
      expect(families).to.have.members(schemaFamilies(kind))
      expect(families).to.have.length(count)
    })
  }

  it('finds every name that it lists', () => {
    for (const kind of GUEST_KINDS) {
      for (const name of optionNames(kind)) expect(findOption(kind, name)?.name).to.equal(name)
    }
  })

  it('gives the numbers of a numbered option and no others', () => {
    expect(findOption('lxc', 'net31')).to.include({family: 'net[n]', index: 31})
    expect(findOption('lxc', 'mp255')).to.include({family: 'mp[n]', index: 255})
    expect(findOption('qemu', 'scsi30')).to.include({family: 'scsi[n]', index: 30})
    for (const name of ['net32', 'net00', 'net01', 'net', 'net[n]', 'net-1', 'mp256', 'rootfs0']) {
      expect(findOption('lxc', name), name).to.equal(undefined)
    }
    for (const name of ['ide4', 'sata6', 'scsi31', 'virtio16', 'parallel3', 'efidisk1', 'audio1']) {
      expect(findOption('qemu', name), name).to.equal(undefined)
    }
  })

  it('tells a numbered option from a plain one of the same stem', () => {
    expect(findOption('qemu', 'numa')).to.include({family: 'numa', type: 'boolean'})
    expect(findOption('qemu', 'numa0')).to.include({family: 'numa[n]', type: 'string'})
  })

  it('is not fooled by names that every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString', '']) {
      expect(findOption('qemu', name)).to.equal(undefined)
    }
  })

  it('takes request parameters and facts about the running guest for no options', () => {
    for (const name of ['delete', 'digest', 'vmid', 'node', 'skiplock', 'meta', 'parent', 'runningmachine']) {
      expect(findOption('qemu', name), name).to.equal(undefined)
    }
  })

  it('has only patterns that JavaScript understands', () => {
    for (const option of GUEST_KINDS.flatMap(listFamilies)) {
      const parts = Object.values(option.format ?? {}).flatMap((part) => ('alias' in part ? [] : [part]))
      for (const {pattern} of [option, ...parts]) {
        if (pattern === undefined) continue
        expect(pattern, option.name).not.to.include('(?^')
        expect(() => new RegExp(`^(?:${pattern})$`), option.name).not.to.throw()
      }
    }
  })

  it('admits by pattern and choice every plain value that Proxmox took', () => {
    const taken = readOptionFacts().facts.filter(({status}) => status === 200)
    let tried = 0
    for (const {kind, option: name, value} of taken) {
      const option = findOption(kind, name)
      if (!option || option.format || option.aliasOf) continue
      const text = String(value)
      if (option.pattern !== undefined && text !== '') {
        expect(text, name).to.match(new RegExp(`^(?:${option.pattern})$`))
        tried++
      }
      if (option.enum && text !== '') {
        expect(option.enum, name).to.include(text)
        tried++
      }
    }
    expect(tried).to.be.greaterThan(40)
  })

  it('knows the parts of every property string, those that the schema only names included', () => {
    const withParts = [
      'startup',
      'boot',
      'cpu',
      'ipconfig0',
      'hostpci0',
      'smbios1',
      'watchdog',
      'rng0',
      'cicustom',
    ]
    for (const name of [...withParts, 'amd-sev', 'intel-tdx', 'cdrom', 'agent', 'scsi0']) {
      expect(findOption('qemu', name)?.format, name).to.be.an('object')
    }
    const textFormats = new Set(GUEST_KINDS.flatMap(listFamilies).flatMap(({textFormat}) => textFormat ?? []))
    expect([...textFormats].sort()).to.deep.equal([
      'dns-name',
      'pve-cpuset',
      'pve-ct-timezone',
      'pve-hotplug-features',
      'pve-qm-bootdisk',
      'pve-storage-id',
      'pve-volume-id',
      'urlencoded',
    ])
  })

  it('says why an option is read-only, and of which option another is an alias', () => {
    const readOnly = GUEST_KINDS.flatMap(listFamilies).filter(({isReadOnly}) => isReadOnly)
    expect(readOnly.map(({kind, family}) => `${kind} ${family}`)).to.have.members([
      'lxc lock',
      'lxc template',
      'lxc unprivileged',
      'lxc unused[n]',
      'qemu lock',
      'qemu template',
      'qemu unused[n]',
      'qemu vmgenid',
    ])
    for (const {readOnlyReason} of readOnly) expect(readOnlyReason).to.be.a('string')
    expect(findOption('qemu', 'cdrom')?.aliasOf).to.equal('ide2')
    expect(findOption('qemu', 'smp')?.aliasOf).to.equal('sockets')
    const aliases = GUEST_KINDS.flatMap(listFamilies).filter(({aliasOf}) => aliasOf !== undefined)
    for (const {hint} of aliases) expect(hint).to.match(/^write /)
  })

  it('ships small data without prose', () => {
    const text = readFileSync(new URL('src/lib/catalog/data/options.json', root), 'utf8')
    expect(text).not.to.match(/"(?:description|verbose_description|typetext|format_description)":/)
    expect(text.length).to.be.lessThan(48_000)
  })

  it('is what the generator makes of schema, facts and notes', () => {
    const script = fileURLToPath(new URL('scripts/generate-catalog.ts', root))
    execFileSync(process.execPath, ['--import', 'tsx', script, '--check'], {stdio: 'pipe'})
  }).timeout(30_000)
})

import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {
  configDigest,
  descriptionAsRead,
  parseConfigFile,
  rawLxcEntries,
  renderConfigFile,
} from '../../../../src/lib/sandbox/guest/config-file.ts'
import type {Kind} from '../../../../src/lib/sandbox/state.ts'

interface SeedGuest {
  kind: Kind
  vmid: number
  rawConfig: string
  config: {digest: string}
}

const seed = JSON.parse(
  readFileSync(new URL('../../../fixtures/pve/scenarios/seed.json', import.meta.url), 'utf8'),
) as {guests: SeedGuest[]}

const LXC = [
  '#Media%3A 100%25',
  '#',
  '#%C3%A9',
  'arch: amd64',
  'cores: 2',
  'parent: s1',
  'lxc.environment.runtime: A=1',
  'lxc.environment.runtime: B=2',
  'lxc.idmap: u 0 1000 1',
  'lxc.idmap: g 0 1000 1',
  '',
  '[pve:pending]',
  'delete: !mp0,tty',
  'hostname: new',
  '',
  '[s1]',
  '#before',
  'cores: 1',
  'snaptime: 1700000000',
  '',
].join('\n')

describe('the text of a config file', () => {
  for (const guest of seed.guests) {
    it(`is reproduced with its digest for guest ${String(guest.vmid)} of the seed`, () => {
      const file = {kind: guest.kind, ...parseConfigFile(guest.kind, guest.rawConfig)}
      expect(renderConfigFile(file)).to.equal(guest.rawConfig)
      expect(configDigest(file)).to.equal(guest.config.digest)
    })
  }

  it('holds description, environment, raw entries, pending changes and snapshots', () => {
    const file = parseConfigFile('lxc', LXC)
    expect(file.config['description']).to.equal('Media: 100%\n\né\n')
    expect(file.config['env']).to.equal('A=1\0B=2')
    expect(rawLxcEntries(file.config)).to.deep.equal([
      ['lxc.idmap', 'u 0 1000 1'],
      ['lxc.idmap', 'g 0 1000 1'],
    ])
    expect(file.pending).to.deep.equal({hostname: 'new'})
    expect(file.pendingDelete).to.deep.equal({mp0: {force: true}, tty: {force: false}})
    expect(file.snapshots).to.deep.equal({
      s1: {config: {cores: '1'}, snaptime: 1_700_000_000, description: 'before\n'},
    })
    expect(renderConfigFile({kind: 'lxc', ...file})).to.equal(LXC)
  })

  it('names the pending section of a machine otherwise and marks an emptied description there', () => {
    const file = {
      config: {name: 'a'},
      pending: {description: '', memory: '512'},
      pendingDelete: {},
      snapshots: {},
    }
    const text = 'name: a\n\n[PENDING]\n#\nmemory: 512\n'
    expect(renderConfigFile({kind: 'qemu', ...file})).to.equal(text)
    expect(parseConfigFile('qemu', text).pending).to.deep.equal({description: '', memory: '512'})
    expect(configDigest({kind: 'qemu', ...file})).to.equal(createHash('sha1').update(text).digest('hex'))
  })

  it('turns an empty value into a blank when it is read', () => {
    expect(parseConfigFile('lxc', 'tags: \n').config).to.deep.equal({tags: ' '})
  })
})

describe('a description', () => {
  it('ends in exactly one line end in a container', () => {
    expect(descriptionAsRead('lxc', 'a')).to.equal('a\n')
    expect(descriptionAsRead('lxc', '\n a \n\nb \n\n\n')).to.equal('\n a \n\nb \n')
  })

  it('loses the blanks at its end in a machine', () => {
    expect(descriptionAsRead('qemu', 'a\n b \n\n')).to.equal('a\n b')
    expect(descriptionAsRead('qemu', '  ')).to.equal('')
  })

  it('is not written at all when it is empty, zero or line ends only', () => {
    for (const text of ['', '0', '\n\n']) {
      expect(descriptionAsRead('lxc', text)).to.equal(undefined)
      expect(descriptionAsRead('qemu', text)).to.equal(undefined)
    }
  })
})

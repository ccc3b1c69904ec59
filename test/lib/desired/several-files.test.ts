// What several files say together: guests once, defaults for all.
import {expect} from 'chai'
import {definitions} from '../../../src/lib/settings/definitions.ts'
import {SETTINGS_KEYS} from '../../../src/lib/desired/guest-keys.ts'
import {guestOf, mistakesIn, mistakesOf, stateOf, valueOf} from '../../support/desired.ts'

const DEFAULTS = `defaults:
  lxc:
    config: {onboot: true, cores: 2, tags: [prod]}
    disks: {rootfs: {size: 8GiB}}
    run: running
    restart: allowed
    stop: {timeout: 5m, force: true}
`

describe('defaults', () => {
  it('come under every guest of their kind', () => {
    const guest = guestOf('{kind: lxc}', DEFAULTS)
    expect([...guest.options.keys()]).to.have.members(['onboot', 'cores', 'tags', 'rootfs'])
    expect(guest).to.deep.include({
      run: 'running',
      restart: 'allowed',
      stop: {timeoutMs: 300_000, force: true},
    })
    expect(guest.options.get('cores')?.place).to.deep.equal({file: 'guests.yaml', line: 4, column: 28})
    expect(guestOf('{kind: qemu}', DEFAULTS).options.size).to.equal(0)
  })

  it('give way to what a guest says itself', () => {
    const guest = guestOf('{kind: lxc, config: {cores: 4}, run: stopped, stop: {timeout: 9s}}', DEFAULTS)
    expect(valueOf(guest, 'cores')).to.deep.equal({is: 'text', text: '4'})
    expect(guest).to.deep.include({run: 'stopped', restart: 'allowed', stop: {timeoutMs: 9000, force: true}})
  })

  it('are taken away by null', () => {
    const guest = guestOf('{kind: lxc, config: {tags: null}, run: null, restart: null, stop: null}', DEFAULTS)
    expect(valueOf(guest, 'tags')).to.deep.equal({is: 'removed'})
    expect(guest).to.not.have.property('run')
    expect(guest).to.deep.include({restart: 'never', stop: {timeoutMs: 60_000, force: false}})
  })

  it('do not reach a guest that shall be absent', () => {
    const guest = guestOf('{kind: lxc, ensure: absent}', DEFAULTS)
    expect(guest.options.size).to.equal(0)
    expect(guest).to.not.have.property('run')
  })

  it('hold for the guests of all files', () => {
    const {guests} = stateOf({
      'a.yaml': 'felhom: 1\nguests: {101: {kind: lxc}}\n',
      'b.yaml': `felhom: 1\n${DEFAULTS}`,
      'c.yaml': 'felhom: 1\ndefaults: {lxc: {config: {onboot: true, swap: 0}}}\nguests: {102: {kind: lxc}}\n',
    })
    for (const guest of guests)
      expect([...guest.options.keys()]).to.include.members(['cores', 'swap', 'rootfs'])
  })

  it('may not contradict each other, and both places are named', () => {
    const found = mistakesIn({
      'a.yaml': `felhom: 1\n${DEFAULTS}`,
      'b.yaml':
        'felhom: 1\ndefaults: {lxc: {config: {cores: 3}, run: stopped, stop: {timeout: 5m, force: false}}}\n',
    })
    expect(found.map(({code, file, line, column}) => [code, file, line, column])).to.deep.equal([
      ['default_twice', 'b.yaml', 2, 27],
      ['default_twice', 'b.yaml', 2, 38],
      ['default_twice', 'b.yaml', 2, 72],
    ])
    expect(found[0]?.message).to.contain('a.yaml:4:28')
  })

  it('are checked like a guest, in their own place, once', () => {
    const head = 'defaults: {lxc: {config: {memroy: 1}, node: pve1, kind: lxc}}\n'
    expect(mistakesOf('{kind: lxc}', head).map(({code, column}) => [code, column])).to.deep.equal([
      ['unknown_key', 27],
      ['misplaced', 39],
      ['misplaced', 51],
    ])
  })
})

describe('several files', () => {
  it('define a guest once, whatever its kind, and both places are named', () => {
    const [found, ...rest] = mistakesIn({
      'a.yaml': 'felhom: 1\nguests:\n  101: {kind: lxc}\n',
      'b.yaml': 'felhom: 1\nguests:\n  102: {kind: lxc}\n  101: {kind: qemu}\n',
    })
    expect(rest).to.deep.equal([])
    expect(found).to.deep.include({code: 'guest_twice', file: 'b.yaml', line: 4, column: 3, length: 3})
    expect(found?.message).to.equal('guest 101 is already defined at a.yaml:3:3')
    expect(found?.sourceLine).to.equal('  101: {kind: qemu}')
  })

  it('do not hide a second definition behind quotes or another mistake', () => {
    const [found] = mistakesIn('felhom: 1\nguests:\n  101: {kind: lxc}\n  "101": {kind: lxc}\n')
    expect(found).to.deep.include({code: 'duplicate_key', line: 4, column: 3})
    expect(found?.message).to.contain('for the first time at 3:3')
    const codes = mistakesIn({
      'a.yaml': 'felhom: 1\nguests: {101: {kind: x}}\n',
      'b.yaml': 'felhom: 1\nguests: {101: {kind: lxc}}\n',
    }).map(({code}) => code)
    expect(codes).to.deep.equal(['wrong_value', 'guest_twice'])
  })

  it('hold no settings, and every settings key is known as one', () => {
    expect(new Set(SETTINGS_KEYS)).to.deep.equal(new Set(definitions.map(({key}) => key.split('.', 1)[0])))
    const [found] = mistakesIn('felhom: 1\nendpoint: https://a:8006\n')
    expect(found).to.deep.include({code: 'settings_in_desired', line: 2, column: 1})
    expect(found?.message).to.equal("this is a desired-state file, and 'endpoint' belongs in the settings")
  })
})

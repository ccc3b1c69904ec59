// The format of product documentation, rule by rule.
import {expect} from 'chai'
import {guestOf, mistakesIn, mistakesOf, readTexts, stateOf, valueOf} from '../../support/desired.ts'

const DOCUMENTED = `# yaml-language-server: $schema=./felhom.schema.json
felhom: 1
defaults:
  lxc: {config: {onboot: true}}
guests:
  101:
    kind: lxc                 # lxc | qemu
    node: pve1                # a name, a list, or any (default: wherever it is)
    run: running              # running | stopped; absent: unmanaged
    config:
      hostname: web-1
      cores: 2
      memory: 2GiB            # a unit or Proxmox's plain MiB
      tags: [prod, web]       # list or Proxmox's own string
      description: |
        Front end of the shop.
      net0: {name: eth0, bridge: vmbr0, ip: dhcp, firewall: true}
      swap: null              # null: remove the option
    disks:
      rootfs: {size: 16GiB}
    restart: never
    stop: {timeout: 60s, force: false}
    create:
      template: local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst
      storage: local-lvm
  102:
    kind: lxc
    ensure: absent
`

describe('the desired state', () => {
  it('reads the documented example whole', () => {
    const {guests, files} = stateOf(DOCUMENTED)
    expect(files).to.deep.equal(['guests.yaml'])
    const [web, old] = guests
    const options = Object.fromEntries([...(web?.options ?? [])].map(([name, {value}]) => [name, value]))
    expect(options).to.deep.equal({
      onboot: {is: 'text', text: '1'},
      hostname: {is: 'text', text: 'web-1'},
      cores: {is: 'text', text: '2'},
      memory: {is: 'text', text: '2048'},
      tags: {is: 'text', text: 'prod;web'},
      description: {is: 'text', text: 'Front end of the shop.\n'},
      net0: {
        is: 'parts',
        parts: new Map([
          ['name', 'eth0'],
          ['bridge', 'vmbr0'],
          ['ip', 'dhcp'],
          ['firewall', '1'],
        ]),
      },
      swap: {is: 'removed'},
      rootfs: {is: 'parts', parts: new Map([['size', '16G']])},
    })
    expect(web).to.deep.include({
      kind: 'lxc',
      vmid: 101,
      ensure: 'present',
      nodes: ['pve1'],
      run: 'running',
      restart: 'never',
      stop: {timeoutMs: 60_000, force: false},
      create: {
        from: {template: 'local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst'},
        storage: 'local-lvm',
        place: {file: 'guests.yaml', line: 23, column: 5},
      },
      place: {file: 'guests.yaml', line: 6, column: 3},
    })
    expect(old).to.deep.equal({
      kind: 'lxc',
      vmid: 102,
      ensure: 'absent',
      options: new Map(),
      restart: 'never',
      stop: {timeoutMs: 60_000, force: false},
      place: {file: 'guests.yaml', line: 26, column: 3},
    })
  })

  it('manages nothing that is not written', () => {
    const guest = guestOf('{kind: qemu}')
    expect(guest.options.size).to.equal(0)
    expect(guest).to.not.have.any.keys('run', 'nodes', 'create')
  })

  it('is empty without guests, and that is no mistake', () => {
    for (const text of ['felhom: 1\n', 'felhom: 1\nguests:\n', 'felhom: 1\nguests: {}\ndefaults: {}\n'])
      expect(stateOf(text).guests).to.deep.equal([])
  })

  it('demands the version line, in an empty file too', () => {
    expect(mistakesIn('guests: {}\n')).to.have.length(1)
    expect(mistakesIn('')[0]).to.deep.include({code: 'version', line: 1, expected: 'felhom: 1'})
    expect(mistakesIn('felhom: 2\n')[0]).to.deep.include({code: 'version', line: 1, column: 9})
    expect(mistakesIn('felhom: 1.0\n')[0]?.code).to.equal('version')
  })

  it('sorts guests by their number', () => {
    const {guests} = stateOf(
      'felhom: 1\nguests: {1000: {kind: lxc}, 102: {kind: lxc}, "200": {kind: qemu}}\n',
    )
    expect(guests.map(({vmid}) => vmid)).to.deep.equal([102, 200, 1000])
  })

  it('knows where every option stands', () => {
    const guest = guestOf('\n    kind: lxc\n    config:\n      cores: 2\n    disks: {rootfs: {size: 8G}}')
    expect(guest.options.get('cores')?.place).to.deep.equal({file: 'guests.yaml', line: 6, column: 7})
    expect(guest.options.get('rootfs')?.place).to.deep.equal({file: 'guests.yaml', line: 7, column: 13})
  })

  it('takes a node, a list of nodes, or any', () => {
    expect(guestOf('{kind: lxc, node: pve1}').nodes).to.deep.equal(['pve1'])
    expect(guestOf('{kind: lxc, node: [pve1, pve2, pve1]}').nodes).to.deep.equal(['pve1', 'pve2'])
    expect(guestOf('{kind: lxc, node: any}').nodes).to.equal(undefined)
    for (const node of ['[]', '[pve1, any]', 'p_ve', '5', '"a/b"', '{}', 'null'])
      expect(mistakesOf(`{kind: lxc, node: ${node}}`), node).to.have.length(1)
    expect(mistakesOf('{kind: lxc, node: [pve1, "a/b"]}')[0]).to.deep.include({column: 33, length: 5})
  })

  it('knows run states and no others', () => {
    expect(guestOf('{kind: lxc, run: stopped}').run).to.equal('stopped')
    expect(mistakesOf('{kind: lxc, run: runing}')[0]).to.deep.include({
      suggestion: 'running',
      expected: 'one of running, stopped',
      column: 25,
    })
  })

  it('demands a kind, and says which there are', () => {
    expect(mistakesOf('{run: running}')[0]).to.deep.include({
      code: 'no_kind',
      expected: 'kind: lxc or kind: qemu',
    })
    expect(mistakesOf('{kind: lcx}')[0]).to.deep.include({suggestion: 'lxc', column: 15})
    expect(mistakesOf('{kind: vm}')).to.have.length(1)
  })

  it('reads 2G, 2GiB, 2048M and 2048 as the same memory', () => {
    for (const memory of ['2G', '2GiB', '2048M', '2048', '"2048"'])
      expect(valueOf(guestOf(`{kind: lxc, config: {memory: ${memory}}}`), 'memory'), memory).to.deep.equal({
        is: 'text',
        text: '2048',
      })
  })

  it('demands the unit of a disk size', () => {
    expect(mistakesOf('{kind: lxc, disks: {rootfs: {size: 16}}}')).to.have.length(1)
  })

  it('takes a list or Proxmox’s own text for tags, a map or Proxmox’s own text for net0', () => {
    const own = guestOf('{kind: lxc, config: {tags: prod;web, net0: "name=eth0,bridge=vmbr0"}}')
    expect(valueOf(own, 'tags')).to.deep.equal({is: 'text', text: 'prod;web'})
    expect(valueOf(own, 'net0')).to.deep.equal({is: 'text', text: 'name=eth0,bridge=vmbr0'})
  })

  it('keeps digits that a number would lose', () => {
    const text = '{kind: lxc, config: {description: 12345678901234567890, tags: [1.10]}}'
    expect(valueOf(guestOf(text), 'description')).to.deep.equal({is: 'text', text: '12345678901234567890'})
    expect(valueOf(guestOf(text), 'tags')).to.deep.equal({is: 'text', text: '1.10'})
  })

  it('takes null as removal, and a line that somebody did not finish as a mistake', () => {
    expect(valueOf(guestOf('{kind: lxc, config: {swap: null}}'), 'swap')).to.deep.equal({is: 'removed'})
    expect(valueOf(guestOf('{kind: lxc, config: {swap: ~}}'), 'swap')).to.deep.equal({is: 'removed'})
    const unfinished = mistakesOf(
      '\n    kind: lxc\n    config:\n      swap:\n      net0: {name: eth0, tag: }',
    )
    expect(unfinished.map(({code, line, column}) => ({code, line, column}))).to.deep.equal([
      {code: 'no_value', line: 6, column: 7},
      {code: 'no_value', line: 7, column: 26},
    ])
    expect(mistakesOf('{kind: lxc, disks: {rootfs: null}}')).to.have.length(1)
    for (const option of ['arch', 'memory', 'ostype'])
      expect(mistakesOf(`{kind: lxc, config: {${option}: null}}`)[0]).to.deep.include({
        message: `a container cannot be without its ${option}`,
      })
    expect(mistakesOf('{kind: qemu, config: {memory: null, ostype: null}}')).to.deep.equal([])
  })

  it('takes volumes under disks only, and nothing else there', () => {
    expect(mistakesOf('{kind: lxc, config: {rootfs: "local:8"}}')[0]).to.deep.include({
      code: 'misplaced',
      expected: "'rootfs' under 'disks'",
    })
    expect(mistakesOf('{kind: qemu, disks: {memory: 512}}')[0]).to.deep.include({
      code: 'misplaced',
      expected: "'memory' under 'config'",
    })
  })

  it('says where a key belongs that stands on the wrong level', () => {
    const homes: [string, string][] = [
      ['{kind: lxc, memory: 512}', "'memory' under 'config'"],
      ['{kind: qemu, scsi0: "a:1"}', "'scsi0' under 'disks'"],
      ['{kind: lxc, template: "a:b"}', "'template' under 'create'"],
      ['{kind: lxc, storage: local}', "'storage' under 'create'"],
      ['{kind: lxc, config: {node: pve1}}', "'node' on the level of 'config'"],
    ]
    for (const [body, expected] of homes)
      expect(mistakesOf(body)[0], body).to.deep.include({code: 'misplaced', expected})
    expect(mistakesIn('felhom: 1\n101: {kind: lxc}\n')[0]).to.deep.include({
      expected: "guests under 'guests'",
    })
  })

  it('points to create for what matters only at creation', () => {
    const names: [string, string][] = [
      ['unprivileged', 'unprivileged'],
      ['ostemplate', 'template'],
      ['password', 'password'],
      ['ssh-public-keys', 'sshkeys'],
      ['storage', 'storage'],
      ['pool', 'pool'],
    ]
    for (const [written, name] of names)
      expect(mistakesOf(`{kind: lxc, config: {${written}: x}}`)[0], written).to.deep.include({
        code: 'create_only',
        expected: `'${name}' under 'create'`,
      })
  })

  it('says why an option cannot be desired', () => {
    expect(mistakesOf('{kind: lxc, config: {lock: backup}}')[0]?.message).to.match(
      /^'lock' cannot be desired: /,
    )
    expect(mistakesOf('{kind: qemu, disks: {unused0: "local:1"}}')[0]?.code).to.equal('read_only')
    expect(valueOf(guestOf('{kind: qemu, disks: {unused0: null}}'), 'unused0')).to.deep.equal({is: 'removed'})
    expect(mistakesOf('{kind: qemu, config: {unused0: null}}')[0]?.code).to.equal('read_only')
    expect(mistakesOf('{kind: qemu, config: {lock: null}}')[0]?.code).to.equal('read_only')
  })

  it('says that an option is of the other kind', () => {
    expect(mistakesOf('{kind: qemu, config: {hostname: a}}')[0]).to.deep.include({
      code: 'other_kind',
      suggestion: 'name',
    })
    expect(mistakesOf('{kind: lxc, config: {sockets: 2}}')[0]).to.deep.include({code: 'other_kind'})
  })

  it('suggests what was probably meant, on every level', () => {
    const suggestions: [string, string][] = [
      ['felhom: 1\ngests: {}\n', 'guests'],
      ['felhom: 1\ndefaults: {lcx: {}}\n', 'lxc'],
      ['felhom: 1\ndefaults: {lxc: {confg: {}}}\n', 'config'],
      ['felhom: 1\nguests: {101: {kind: lxc, ensur: absent}}\n', 'ensure'],
      ['felhom: 1\nguests: {101: {kind: lxc, config: {memroy: 1}}}\n', 'memory'],
      ['felhom: 1\nguests: {101: {kind: lxc, disks: {rotfs: {}}}}\n', 'rootfs'],
      ['felhom: 1\nguests: {101: {kind: lxc, config: {net0: {name: e, brigde: v}}}}\n', 'bridge'],
      ['felhom: 1\nguests: {101: {kind: lxc, stop: {timeot: 5s}}}\n', 'timeout'],
      ['felhom: 1\nguests: {101: {kind: lxc, create: {templat: "a:b"}}}\n', 'template'],
    ]
    for (const [text, suggestion] of suggestions) {
      const found = mistakesIn(text).find((d) => d.code === 'unknown_key')
      expect(found?.suggestion, text).to.equal(suggestion)
    }
  })

  it('lists the siblings where nothing is near', () => {
    expect(mistakesOf('{kind: lxc, stop: {xyzzy: 1}}')[0]).to.deep.include({
      expected: 'one of timeout, force',
    })
  })

  it('takes an option under another name of it, once', () => {
    expect(valueOf(guestOf('{kind: qemu, config: {smp: 2}}'), 'sockets')).to.deep.equal({
      is: 'text',
      text: '2',
    })
    expect(mistakesOf('{kind: qemu, config: {smp: 2, sockets: 2}}')[0]?.code).to.equal('same_option')
  })

  it('takes nothing but kind, node and stop beside ensure: absent', () => {
    expect(guestOf('{kind: lxc, ensure: absent, node: pve1, stop: {force: true}}')).to.deep.include({
      ensure: 'absent',
      nodes: ['pve1'],
      stop: {timeoutMs: 60_000, force: true},
    })
    for (const rest of [
      'config: {cores: 1}',
      'disks: {}',
      'run: stopped',
      'restart: never',
      'create: {clone: 102}',
    ])
      expect(mistakesOf(`{kind: lxc, ensure: absent, ${rest}}`)[0]?.code, rest).to.equal('absent_with')
  })

  it('reads how a guest may be stopped and restarted', () => {
    const guest = guestOf('{kind: lxc, restart: allowed, stop: {timeout: 2m30s, force: true}}')
    expect(guest).to.deep.include({restart: 'allowed', stop: {timeoutMs: 150_000, force: true}})
    for (const timeout of ['60', '"60"', '-5s', '0s', '2 weeks', 'soon', '1e9s', '[]', '9'.repeat(400) + 's'])
      expect(mistakesOf(`{kind: lxc, stop: {timeout: ${timeout}}}`), timeout).to.have.length(1)
    expect(mistakesOf('{kind: lxc, stop: {force: 1}}')[0]?.expected).to.equal('true or false')
  })

  it('refuses a guest that is no map', () => {
    for (const body of ['', 'lxc', '[]', '5']) expect(mistakesOf(body), body).to.have.length(1)
    expect(mistakesIn('felhom: 1\nguests: [101]\n')[0]?.code).to.equal('not_a_map')
    expect(mistakesIn('- felhom\n')[0]?.code).to.equal('not_a_map')
  })

  it('counts files and guests when something is wrong, too', () => {
    const reading = readTexts({'a.yaml': 'felhom: 1\nguests: {101: {kind: lxc}, 5: {}}\n', 'b.yaml': 'x'})
    expect(reading).to.deep.include({
      valid: false,
      files: ['a.yaml', 'b.yaml'],
      guestCount: 2,
      mistakeCount: 2,
    })
  })

  it('counts what it parses over all files, so that many are not more than one may be', () => {
    const heavy = `felhom: 1\nx: [${'[],'.repeat(200_000)}]\n`
    const texts = Object.fromEntries(Array.from({length: 20}, (_, i) => [`${i}.yaml`, heavy]))
    const codes = mistakesIn(texts).map(({file, code}) => `${file} ${code}`)
    expect(codes).to.deep.equal([
      '0.yaml unknown_key',
      ...Array.from({length: 19}, (_, i) => `${i + 1}.yaml too_large`),
    ])
  })

  it('reads 10,000 guests as people write them, in one file and in many', () => {
    const guest = (vmid: number): string => `  ${vmid}:
    kind: lxc
    node: [pve1, pve2]
    config:
      hostname: web-${vmid}
      cores: 2
      memory: 2GiB
      swap: 512MiB
      onboot: true
      tags: [web, prod]
      description: |
        The web server of team ${vmid}.
        Ask them first.
      net0: {name: eth0, bridge: vmbr0, ip: 10.0.0.7/24, gw: 10.0.0.1, firewall: true, tag: 20}
      net1: {name: eth1, bridge: vmbr1, ip: dhcp}
    restart: allowed
    stop: {timeout: 2m, force: true}
    run: running
`
    const file = (from: number, count: number): string =>
      `felhom: 1\nguests:\n${Array.from({length: count}, (_, i) => guest(from + i)).join('')}`
    const many = Array.from({length: 50}, (_, i) => [`${i}.yaml`, file(6000 + i * 100, 100)])
    const texts = Object.fromEntries([['one.yaml', file(1000, 5000)], ...many]) as Record<string, string>
    expect(stateOf(texts).guests).to.have.length(10_000)
  }).timeout(300_000)

  it('refuses more guests than a cluster can hold, however few lines they take', () => {
    const file = (from: number, count: number): string =>
      `felhom: 1\nguests: {${Array.from({length: count}, (_, i) => `${from + i}: {kind: lxc}`).join(', ')}}\n`
    expect(stateOf({'a.yaml': file(1000, 15_000), 'b.yaml': file(50_000, 5_000)}).guests).to.have.length(
      20_000,
    )
    const mistakes = mistakesIn({'a.yaml': file(1000, 15_000), 'b.yaml': file(50_000, 5_001)})
    expect(mistakes.map(({file, code, message}) => `${file} ${code} ${message}`)).to.deep.equal([
      'b.yaml too_large with this file there are too many guests',
    ])
  }).timeout(60_000)
})

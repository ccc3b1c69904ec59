import {expect} from 'chai'
import {findOption, type Option} from '../../../src/lib/catalog/option.ts'
import {readValue, type ValueProblem} from '../../../src/lib/catalog/read-value.ts'
import type {GuestKind} from '../../../src/lib/model/guest.ts'

function option(kind: GuestKind, name: string): Option {
  const found = findOption(kind, name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

function textOf(kind: GuestKind, name: string, written: unknown): string {
  const reading = readValue(option(kind, name), written)
  if (!('value' in reading)) throw new Error(JSON.stringify(reading.problems))
  if (reading.value.is !== 'text') throw new Error(`${reading.value.is}, not text`)
  return reading.value.text
}

function partsOf(kind: GuestKind, name: string, written: unknown): Record<string, string | null> {
  const reading = readValue(option(kind, name), written)
  if (!('value' in reading)) throw new Error(JSON.stringify(reading.problems))
  if (reading.value.is !== 'parts') throw new Error(`${reading.value.is}, not parts`)
  return Object.fromEntries(reading.value.parts)
}

function problemsOf(kind: GuestKind, name: string, written: unknown): readonly ValueProblem[] {
  const reading = readValue(option(kind, name), written)
  if (!('problems' in reading)) throw new Error(JSON.stringify(reading.value))
  return reading.problems
}

function firstProblem(kind: GuestKind, name: string, written: unknown): ValueProblem {
  const [first] = problemsOf(kind, name, written)
  if (!first) throw new Error('no problem')
  return first
}

describe('reading a single value', () => {
  it('takes every way to say yes and no', () => {
    for (const yes of [true, 1, '1', 'on', 'yes', 'true']) expect(textOf('lxc', 'onboot', yes)).to.equal('1')
    for (const no of [false, 0, '0', 'off', 'no', 'False']) expect(textOf('lxc', 'onboot', no)).to.equal('0')
    for (const neither of [2, 'maybe', '', [], {}, 1.5]) {
      expect(firstProblem('lxc', 'onboot', neither).expected).to.equal('true or false')
    }
  })

  it('takes memory with a unit or as plain MiB', () => {
    for (const [kind, name] of [
      ['lxc', 'memory'],
      ['lxc', 'swap'],
      ['qemu', 'memory'],
      ['qemu', 'balloon'],
    ] as const) {
      for (const written of ['2GiB', '2G', '2048M', '2048MiB', '2048', 2048, '2 GiB', '2g', 2048n]) {
        expect(textOf(kind, name, written), `${name} ${String(written)}`).to.equal('2048')
      }
    }
  })

  it('rounds memory up to a whole MiB, so that writing it once is enough', () => {
    expect(textOf('lxc', 'memory', '100000K')).to.equal('98')
    expect(textOf('lxc', 'memory', '0.3GiB')).to.equal('308')
    expect(textOf('qemu', 'memory', '1.5G')).to.equal('1536')
    expect(textOf('qemu', 'memory', 'current=1.5G')).to.equal('1536')
  })

  it('refuses memory that is no size, too small or without meaning', () => {
    for (const written of [1.5, '2 bananas', 8, '8M', -512, true, '', 1e300, [], 10n ** 30n]) {
      expect(firstProblem('lxc', 'memory', written).expected, String(written)).to.match(/size such as 2GiB/)
    }
    expect(firstProblem('lxc', 'memory', 8).expected).to.contain('at least 16 MiB')
  })

  it('holds whole numbers to their limits', () => {
    expect(textOf('lxc', 'cores', '02')).to.equal('2')
    expect(firstProblem('lxc', 'cores', 0).expected).to.equal('a whole number from 1 to 8192')
    expect(firstProblem('lxc', 'cores', '2.0').expected).to.match(/whole number/)
    expect(textOf('lxc', 'cpulimit', 1.5)).to.equal('1.5')
    expect(textOf('lxc', 'cpulimit', '1e0')).to.equal('1')
    expect(firstProblem('lxc', 'cpulimit', -1).expected).to.equal('a number from 0 to 8192')
  })

  it('suggests the choice that was probably meant', () => {
    expect(firstProblem('lxc', 'ostype', 'debain').suggestion).to.equal('debian')
    expect(firstProblem('qemu', 'bios', 'OVMF').suggestion).to.equal('ovmf')
    expect(textOf('qemu', 'hugepages', 1024)).to.equal('1024')
    expect(textOf('qemu', 'keyboard', 'no')).to.equal('no')
  })

  it('asks for quotes where YAML read a text as something else', () => {
    expect(firstProblem('lxc', 'hostname', 1.1).suggestion).to.contain('in quotes')
    expect(firstProblem('lxc', 'hostname', true).suggestion).to.equal('"true", in quotes')
    expect(textOf('lxc', 'hostname', 123)).to.equal('123')
  })

  it('refuses line breaks everywhere but in a description', () => {
    expect(firstProblem('qemu', 'ciuser', 'root\nlock: backup').expected).to.equal('a single line')
    expect(firstProblem('lxc', 'entrypoint', '/sbin/init\nhookscript: x').expected).to.equal('a single line')
    expect(firstProblem('qemu', 'net0', 'virtio,bridge=vmbr0\nargs: x')).to.have.property('expected')
    expect(firstProblem('qemu', 'net0', {model: 'virtio', trunks: '2\n3'})).to.have.property('expected')
    expect(textOf('lxc', 'description', 'Front end\nof the shop.\n')).to.equal('Front end\nof the shop.\n')
    expect(firstProblem('lxc', 'description', 'x'.repeat(8193)).expected).to.equal('at most 8192 characters')
  })

  it('knows names, addresses and volumes', () => {
    expect(firstProblem('lxc', 'hostname', 'web_1').expected).to.match(/DNS name/)
    expect(firstProblem('lxc', 'hookscript', 'hook.pl').expected).to.match(/volume/)
    expect(firstProblem('qemu', 'vmstatestorage', 'a b').expected).to.match(/storage/)
    expect(firstProblem('lxc', 'net0', {ip: '192.0.2.5'}).expected).to.match(/192\.0\.2\.5\/24/)
    expect(firstProblem('lxc', 'net0', {ip: '192.0.2.256/24'}).expected).to.match(/dhcp/)
    expect(firstProblem('lxc', 'net0', {ip6: '2001:db8::1::2/64'}).expected).to.match(/auto/)
    expect(firstProblem('lxc', 'net0', {gw: 'router'}).expected).to.equal('an IPv4 address')
    expect(firstProblem('lxc', 'net0', {hwaddr: '01:00:5e:00:00:01'}).expected).to.match(/unicast MAC/)
    expect(firstProblem('qemu', 'scsi0', {file: 'local-lvm'}).expected).to.match(/storage:GiB/)
  })

  it('reads null as removal', () => {
    expect(readValue(option('lxc', 'swap'), null)).to.deep.equal({value: {is: 'removed'}})
  })
})

describe('reading a list', () => {
  it('joins the items as Proxmox does', () => {
    expect(textOf('lxc', 'tags', ['prod', 'web'])).to.equal('prod;web')
    expect(textOf('lxc', 'nameserver', ['192.0.2.1', '2001:db8::1'])).to.equal('192.0.2.1 2001:db8::1')
    expect(textOf('qemu', 'searchdomain', ['a.example', 'b.example'])).to.equal('a.example b.example')
    expect(textOf('qemu', 'hotplug', ['disk', 'usb'])).to.equal('disk,usb')
    expect(textOf('qemu', 'boot', ['scsi0', 'net0'])).to.equal('order=scsi0;net0')
    expect(textOf('lxc', 'env', ['A=1', 'B=2'])).to.equal('A=1\0B=2')
    expect(partsOf('lxc', 'net0', {trunks: [2, 3]})).to.deep.equal({trunks: '2;3'})
    expect(partsOf('lxc', 'rootfs', {mountoptions: ['noatime', 'nodev']})).to.deep.equal({
      mountoptions: 'noatime;nodev',
    })
  })

  it('names the item that does not fit', () => {
    expect(firstProblem('lxc', 'tags', ['prod', 'we!b'])).to.include({message: '"we!b" does not fit here'})
    expect(firstProblem('lxc', 'tags', ['prod', 'we!b']).path).to.deep.equal([1])
    expect(firstProblem('lxc', 'tags', ['prod', {a: 1}]).path).to.deep.equal([1])
    expect(firstProblem('lxc', 'tags', ['prod;web']).path).to.deep.equal([0])
    expect(firstProblem('lxc', 'net0', {trunks: [2, null]}).path).to.deep.equal(['trunks', 1])
    expect(problemsOf('lxc', 'nameserver', ['a', '192.0.2.1', 'b'])).to.have.length(2)
  })

  it('refuses a list where there is only one value', () => {
    expect(firstProblem('lxc', 'hostname', ['a', 'b']).message).to.contain('a list')
    expect(firstProblem('lxc', 'net0', ['a']).expected).to.match(/map of its parts/)
  })

  it('turns hotplug on and off as a whole', () => {
    expect(textOf('qemu', 'hotplug', true)).to.equal('1')
    expect(textOf('qemu', 'hotplug', false)).to.equal('0')
    expect(firstProblem('qemu', 'hotplug', 'disk,fan').message).to.equal('"fan" does not fit here')
  })
})

describe('reading a property string', () => {
  it('takes a map with canonical names and values', () => {
    const written = {name: 'eth0', bridge: 'vmbr0', ip: 'dhcp', firewall: true, mtu: 1500, tag: null}
    expect(partsOf('lxc', 'net0', written)).to.deep.equal({
      name: 'eth0',
      bridge: 'vmbr0',
      ip: 'dhcp',
      firewall: '1',
      mtu: '1500',
      tag: null,
    })
    expect(partsOf('qemu', 'scsi0', {volume: 'local:8'})).to.deep.equal({file: 'local:8'})
    expect(partsOf('qemu', 'net0', {virtio: 'BC:24:11:00:00:01'})).to.deep.equal({
      model: 'virtio',
      macaddr: 'BC:24:11:00:00:01',
    })
  })

  it('takes the text of Proxmox and prints it as Proxmox would', () => {
    expect(textOf('lxc', 'net0', 'bridge=vmbr0,firewall=yes,name=eth0')).to.equal(
      'name=eth0,bridge=vmbr0,firewall=1',
    )
    expect(textOf('qemu', 'agent', 'enabled=on,guest-fsfreeze=0')).to.equal('1,freeze-fs=0')
    expect(textOf('qemu', 'net0', 'bridge=vmbr0,model=virtio')).to.equal('virtio,bridge=vmbr0')
  })

  it('takes a bare value for the part that needs no name', () => {
    expect(textOf('qemu', 'agent', true)).to.equal('1')
    expect(textOf('lxc', 'startup', 3)).to.equal('3')
    expect(textOf('qemu', 'cpu', 'host')).to.equal('host')
  })

  it('wants the unit of a disk size, and rounds what no disk can be', () => {
    expect(partsOf('lxc', 'rootfs', {size: '16GiB'})).to.deep.equal({size: '16G'})
    expect(partsOf('lxc', 'rootfs', {size: '16384M'})).to.deep.equal({size: '16G'})
    expect(partsOf('lxc', 'rootfs', {size: '0.3G'})).to.deep.equal({size: '308M'})
    expect(partsOf('qemu', 'efidisk0', {size: '528K'})).to.deep.equal({size: '528K'})
    const {path, expected, suggestion} = firstProblem('lxc', 'rootfs', {size: 16})
    expect({path, expected, suggestion}).to.deep.equal({
      path: ['size'],
      expected: 'a size with its unit such as 16GiB',
      suggestion: '16GiB',
    })
  })

  it('reports every part that is wrong, each in its place', () => {
    const problems = problemsOf('lxc', 'net0', {
      brigde: 'vmbr0',
      tag: 9999,
      firewall: 'perhaps',
      name: 'eth0',
    })
    expect(problems.map(({path}) => path)).to.deep.equal([['brigde'], ['tag'], ['firewall']])
    expect(problems[0]).to.include({message: 'net0 has no part "brigde"', suggestion: 'bridge'})
  })

  it('reports every part of a text that is wrong', () => {
    const problems = problemsOf('lxc', 'net0', 'name=eth0,brigde=vmbr0,tag=9999,eth1')
    expect(problems).to.have.length(3)
    expect(problems[0]?.suggestion).to.equal('bridge')
    expect(problems[2]?.message).to.equal('"eth1" has no name')
  })

  it('asks for what Proxmox cannot do without, but not for what Proxmox generates', () => {
    expect(firstProblem('lxc', 'net0', 'bridge=vmbr0').message).to.equal('name is missing')
    expect(firstProblem('qemu', 'net0', 'bridge=vmbr0').message).to.equal('model is missing')
    expect(firstProblem('qemu', 'ipconfig0', 'gw=192.0.2.1').message).to.equal('gw makes no sense without ip')
    expect(textOf('lxc', 'rootfs', 'size=16GiB')).to.equal('size=16G')
  })

  it('refuses a part twice, under whatever name', () => {
    expect(firstProblem('lxc', 'net0', 'name=eth0,name=eth1').message).to.equal('name is written twice')
    expect(firstProblem('qemu', 'scsi0', {file: 'local:8', volume: 'local:8'}).message).to.equal(
      'file is written twice',
    )
    expect(firstProblem('qemu', 'net0', 'virtio=BC:24:11:00:00:01,model=e1000').message).to.equal(
      'model is written twice',
    )
  })

  it('refuses to remove what cannot be removed', () => {
    expect(firstProblem('lxc', 'net0', {hwaddr: null}).message).to.match(/Proxmox sets it itself/)
    expect(firstProblem('lxc', 'net0', {name: null}).message).to.match(/net0 needs it/)
    expect(firstProblem('lxc', 'rootfs', {size: null}).path).to.deep.equal(['size'])
  })

  it('refuses values that would break out of their part', () => {
    expect(firstProblem('qemu', 'scsi0', {file: 'local:8,cache=unsafe'}).message).to.match(/comma/)
    expect(firstProblem('qemu', 'scsi0', {}).message).to.equal('an empty map says nothing')
    expect(firstProblem('qemu', 'scsi0', {constructor: 1}).message).to.equal(
      'scsi0 has no part "constructor"',
    )
  })
})

describe('reading secrets and keys', () => {
  it('takes a secret by reference only', () => {
    expect(readValue(option('qemu', 'cipassword'), {fromFile: 'pw'})).to.deep.equal({
      value: {is: 'secret', from: {file: 'pw'}},
    })
    expect(readValue(option('qemu', 'cipassword'), {fromEnv: 'PW'})).to.deep.equal({
      value: {is: 'secret', from: {env: 'PW'}},
    })
    for (const written of ['hunter2', {}, {fromFile: ''}, {fromFile: 'a', fromEnv: 'b'}, {from: 'a'}, 7]) {
      const problem = firstProblem('qemu', 'cipassword', written)
      expect(problem.expected).to.equal('{fromFile: PATH} or {fromEnv: NAME}')
      expect(problem.message).to.not.contain('hunter2')
    }
  })

  it('does not take a reference for anything else', () => {
    expect(firstProblem('lxc', 'hostname', {fromEnv: 'NAME'}).message).to.equal('hostname is no secret')
    expect(firstProblem('lxc', 'net0', {fromFile: 'x'}).message).to.equal('net0 is no secret')
  })

  it('encodes ssh keys, whatever way they were written', () => {
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE t'
    const encoded = `${encodeURIComponent(key)}%0A`
    for (const written of [key, `${key}\n`, [key], encodeURIComponent(key), `\n${key}\n\n`]) {
      expect(textOf('qemu', 'sshkeys', written)).to.equal(encoded)
    }
    expect(textOf('qemu', 'sshkeys', [key, `${key}2`])).to.equal(
      `${encoded}${encodeURIComponent(`${key}2`)}%0A`,
    )
    expect(firstProblem('qemu', 'sshkeys', [key, 'nonsense']).path).to.deep.equal([1])
  })
})

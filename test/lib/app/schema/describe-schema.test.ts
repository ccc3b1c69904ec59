import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {describeSchema} from '../../../../src/lib/app/schema/describe-schema.ts'
import {importGuests} from '../../../../src/lib/app/import/import-guests.ts'
import {findOption, optionNames} from '../../../../src/lib/catalog/option.ts'
import {GUEST_KINDS} from '../../../../src/lib/model/guest.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'
import {Editor, type Complaint} from '../../../support/editor.ts'
import {readDesiredText} from '../../../support/read-text.ts'
import {readOptionFacts} from '../../../support/recorded-option-facts.ts'

const example = readFileSync(new URL('../../../../examples/homelab/guests.yaml', import.meta.url), 'utf8')
/** The editor finds the schema by its own means here. */
const withoutModeline = (text: string): string => text.replace(/^# yaml-language-server:.*\n/, '\n')

/** Each line has one mistake, and only those that say so. */
const MISTAKES = `felhom: 2 # mistake
gests: {} # mistake
defaults:
  lxc: {config: {onbot: true}} # mistake
  vm: {} # mistake
guests:
  99: {kind: lxc} # mistake
  101: {kind: lcx} # mistake
  102: {run: running} # mistake
  103:
    kind: lxc
    run: runing # mistake
    memory: 2GiB # mistake
    config:
      memroy: 2GiB # mistake
      cores: 0 # mistake
      memory: lots # mistake
      onboot: maybe # mistake
      net0: {name: eth0, brige: vmbr0} # mistake
      net1: {name: eth1, firewall: perhaps} # mistake
      net32: name=eth0 # mistake
      rootfs: {size: 8GiB} # mistake
      cmode: shel # mistake
      unprivileged: true # mistake
    disks:
      rootfs: {size: 8} # mistake
    stop: {timeout: 60} # mistake
  104:
    kind: lxc
    ensure: absent
    config: {cores: 1} # mistake
  105:
    kind: qemu
    config:
      hostname: web # mistake
      memory: much # mistake
      cipassword: secret # mistake
      vmgenid: 1 # mistake
    create: {template: "local:vztmpl/a.tar"} # mistake
  106:
    kind: lxc
    create: {storage: local} # mistake
`

const GUEST = 'felhom: 1\nguests:\n  101:\n    kind: lxc\n'

describe('the JSON Schema for editors', () => {
  const schema = describeSchema()
  const editor = new Editor(schema)

  it('has nothing against the example homelab', async () => {
    expect(await editor.complaints(withoutModeline(example))).to.deep.equal([])
  })

  it('marks every mistake in its line, and nothing else', async () => {
    const expected = MISTAKES.split('\n').flatMap((line, i) => (line.includes('# mistake') ? [i + 1] : []))
    const found = await editor.complaints(MISTAKES)
    expect(lines(found), JSON.stringify(found, null, 1)).to.deep.equal(expected)
    expect(expected).to.have.length.greaterThan(10)
  })

  it('tells in words what was expected instead of a pattern', async () => {
    const found = await editor.complaints(
      `${GUEST}    config: {memory: lots}\n    disks: {mp0: {size: '8'}}\n`,
    )
    expect(found.map(({message}) => message).sort()).to.deep.equal([
      'A size such as 2GiB, or a number of MiB, is expected.',
      'A size with its unit is expected, such as 16GiB.',
    ])
  })

  it('takes all forms that the reader takes', async () => {
    const text = `felhom: 1
defaults: {lxc: {config: {onboot: yes}, run: null}, qemu: null}
guests:
  101:
    kind: lxc
    node: [pve1, pve2]
    run: running
    restart: allowed
    stop: {timeout: 5m, force: true}
    config:
      onboot: 1
      console: "off"
      cores: "2"
      cpulimit: 0.5
      memory: 1.5GiB
      swap: null
      tags: a;b
      nameserver: [10.0.0.53]
      hostname: 101
      features: nesting=1
      startup: 3
      net0: {name: eth0, tag: "10", mtu: null, trunks: [1, 2]}
      net31: name=eth31
      description:
        |
        text
    disks:
      rootfs: local-lvm:8
      mp0: {volume: local-lvm:8, mp: /data, size: 8 gb}
      mp255: null
    create:
      template: local:vztmpl/a.tar
      password: {fromEnv: PASSWORD}
      sshkeys: {fromFile: keys.pub}
      unprivileged: true
  102:
    kind: qemu
    node: any
    ensure: present
    config:
      agent: true
      boot: [scsi0, net0]
      cpu: host
      hotplug: false
      hugepages: 2
      memory: 2048
      net0: {virtio: "BC:24:11:00:00:01", bridge: vmbr0}
      vga: {memory: 32MiB, type: std}
      sshkeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMa anna]
      cipassword: {fromFile: pw}
    disks: {scsi30: "local-lvm:8", ide2: none}
    create: {clone: 9000, full: true}
  103: {kind: qemu, create: {}}
  104: {kind: lxc, ensure: absent, stop: {timeout: 1s}}
`
    expect(() => readDesiredText(text)).to.not.throw()
    expect(await editor.complaints(text)).to.deep.equal([])
  })

  it('takes every value that the real Proxmox took, as text and as it is imported', async () => {
    const accepted = readOptionFacts().facts.filter(({kind, option, status}) => {
      const known = findOption(kind, option)
      return status === 200 && known?.isReadOnly === false && known.isComparable
    })
    const written = accepted.map(({kind, option, value}, i) => {
      const home = findOption(kind, option)?.isDisk ? 'disks' : 'config'
      return `  ${100 + i}: {kind: ${kind}, ${home}: {${option}: ${JSON.stringify(String(value))}}}`
    })
    const imported = importGuests(
      actualCluster({
        guests: accepted.map(({kind, option, readBack}, i) => {
          const text = String(readBack ?? '').replaceAll('${mac}', 'BC:24:11:77:88:99')
          const current = {[option]: text}
          return actualGuest(1000 + i, {kind, config: {known: true, current, pending: [], digest: ''}})
        }),
      }),
      [],
    )
    expect(written).to.have.length.greaterThan(300)
    for (const text of [`felhom: 1\nguests:\n${written.join('\n')}\n`, imported.yaml]) {
      const source = text.split('\n')
      const found = await editor.complaints(text)
      expect(found.map(({line, message}) => `${source[line - 1] ?? ''} → ${message}`)).to.deep.equal([])
    }
  })

  it('knows every option of the catalog and no other', () => {
    const {definitions} = schema as {definitions: Record<string, OptionMap>}
    for (const kind of GUEST_KINDS) {
      const [config, disks] = ['config', 'disks'].map((name) => definitions[`${kind}-${name}`])
      for (const name of optionNames(kind)) {
        const option = findOption(kind, name)
        const isWritable =
          option !== undefined && (!option.isReadOnly || option.isRemovalOnly) && !option.isCreateOnly
        expect(knows(config, name), `${kind} ${name}`).to.equal(isWritable && !option.isDisk)
        expect(knows(disks, name), `${kind} ${name}`).to.equal(isWritable && option.isDisk)
      }
      for (const name of ['net32', 'net032', 'net', 'mp256', 'scsi31', 'xnet0', 'net1x']) {
        expect(knows(config, name) || knows(disks, name), `${kind} ${name}`).to.equal(false)
      }
    }
  })

  it('lets the editor propose options, parts and values', async () => {
    const options = await editor.proposals(`${GUEST}    config:\n      |`)
    expect(options).to.include.members(['hostname', 'memory', 'net0', 'cores']).and.not.include('rootfs')
    expect(await editor.proposals(`${GUEST}    disks:\n      |`)).to.include.members(['rootfs', 'mp0'])
    const parts = await editor.proposals(`${GUEST}    config:\n      net0:\n        |`)
    expect(parts).to.include.members(['name', 'bridge', 'ip', 'firewall'])
    expect(await editor.proposals(`${GUEST}    config:\n      cmode: |`)).to.include.members(['shell', 'tty'])
    const keys = await editor.proposals(`${GUEST}    |`)
    expect(keys.sort()).to.deep.equal(
      ['config', 'create', 'disks', 'ensure', 'node', 'restart', 'run', 'stop'].sort(),
    )
    expect(await editor.proposals(`felhom: 1\nguests:\n  101:\n    kind: qemu\n    config:\n      |`))
      .to.include.members(['name', 'agent'])
      .and.not.include('hostname')
  })

  it('lets the editor explain an option: default, cost and privilege', async () => {
    expect(await editor.hover(`${GUEST}    config:\n      |memory: 2GiB\n`)).to.contain(
      'A size such as 2GiB, or a number of MiB. Default: 512MiB. Takes effect at once. Needs VM.Config.Memory.',
    )
    expect(await editor.hover(`${GUEST}    config:\n      |net5: {name: eth0}\n`)).to.contain(
      'Needs VM.Config.Network.',
    )
    expect(await editor.hover(`${GUEST}    config:\n      |hookscript: local:snippets/a\n`)).to.contain(
      'Only root@pam itself may set it.',
    )
  })
})

interface OptionMap {
  properties: Record<string, unknown>
  patternProperties: Record<string, unknown>
}

const knows = (options: OptionMap | undefined, name: string): boolean =>
  Object.hasOwn(options?.properties ?? {}, name) ||
  Object.keys(options?.patternProperties ?? {}).some((pattern) => new RegExp(pattern, 'u').test(name))

const lines = (complaints: readonly Complaint[]): number[] =>
  complaints.map(({line}) => line).sort((a, b) => a - b)

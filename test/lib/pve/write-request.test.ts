import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {isFelhomError} from '../../../src/lib/model/felhom-error.ts'
import type {GuestAddress} from '../../../src/lib/model/guest.ts'
import type {Intent, OperationBody} from '../../../src/lib/model/operation.ts'
import type {Mutation} from '../../../src/lib/pve/connection.ts'
import {makeRequest} from '../../../src/lib/pve/write-request.ts'
import type {Secrets} from '../../../src/lib/pve/write-params.ts'
import {methodSchema, schemaPaths} from '../../../src/lib/sandbox/schema/api-schema.ts'
import {validateParams} from '../../../src/lib/sandbox/schema/validate.ts'
import {journaledIntent, setConfig} from '../../support/journaled-intent.ts'

const digest = '03b9edaa3c83619d4bfad3791b3700644724b8c3'
const lxc = (vmid: number, node = 'pve'): GuestAddress => ({kind: 'lxc', vmid, node})
const qemu = (vmid: number, node = 'pve'): GuestAddress => ({kind: 'qemu', vmid, node})
const TEMPLATE = 'local:vztmpl/debian-12-tiny_12.7-1_amd64.tar.gz'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE t'

type Creation = Extract<OperationBody, {type: 'create'}>
const create = (from: Creation['from'], more: Partial<Creation> = {}): Creation => ({
  type: 'create',
  from,
  options: {},
  secrets: [],
  marker: [],
  ...more,
})

function request(target: GuestAddress, body: OperationBody, secrets: Secrets = {}): Mutation {
  return makeRequest(journaledIntent(target, body, {digest}), secrets)
}

/** Without what is not sent, and every value as the text that it becomes. */
function sent({method, path, params = {}}: Mutation): {method: string; path: string; params: object} {
  const given = Object.entries(params).filter(([, value]) => value !== undefined)
  return {method, path, params: Object.fromEntries(given.map(([name, value]) => [name, String(value)]))}
}

interface Recorded {
  readonly name?: string
  readonly request?: {
    method: string
    path: string
    form?: Record<string, unknown>
    query?: Record<string, unknown>
  }
  readonly response?: {status: number; json?: {data: unknown}}
}

function recorded(scenario: string, step: string): Recorded {
  const file = new URL(`../../fixtures/pve/scenarios/${scenario}.json`, import.meta.url)
  const {steps} = JSON.parse(readFileSync(file, 'utf8')) as {steps: Recorded[]}
  const found = steps.find(({name}) => name === step)
  if (!found) throw new Error(`${scenario} has no step ${step}`)
  return found
}

/** Each as it was recorded, with what felhom leaves out and adds. */
const RECORDED: Record<
  string,
  {target: GuestAddress; body: OperationBody; without?: string[]; plus?: object; secrets?: Secrets}
> = {
  'create-full create': {
    target: lxc(150),
    body: create(
      {template: TEMPLATE},
      {
        options: {
          rootfs: 'btr:0.1',
          hostname: 'new1',
          memory: '128',
          unprivileged: '1',
          net0: 'name=eth0,bridge=vmbr0,ip=dhcp',
          description: 'created\n',
          tags: 'z;a',
          onboot: '1',
          cores: '1',
          swap: '0',
          nameserver: '192.0.2.1',
          features: 'nesting=1',
          mp0: 'btr:0.05,mp=/data',
          pool: 'homelab',
        },
        secrets: ['password', 'ssh-public-keys'],
      },
    ),
    secrets: {password: 'secret123', 'ssh-public-keys': KEY},
    without: ['start'],
  },
  'create-minimal create': {
    target: lxc(151),
    body: create({template: TEMPLATE}, {options: {rootfs: 'local:0.1'}}),
  },
  'qemu-create minimal': {
    target: qemu(261),
    body: create({empty: true}, {options: {name: 'n1', memory: '128'}}),
  },
  'backup-dump-restore restore': {
    target: lxc(170),
    body: create({restore: 'local:backup/${backup:1}.tar.zst', storage: 'local'}),
  },
  'clone-full clone': {
    target: lxc(160),
    body: create(
      {clone: 102, full: true},
      {sourceNode: 'pve', options: {hostname: 'copy', description: 'copy of 102', pool: 'homelab'}},
    ),
  },
  'clone-variants other-storage': {
    target: lxc(163),
    body: create({clone: 103, full: true, storage: 'btr'}, {sourceNode: 'pve'}),
  },
  'clone-variants linked-non-template': {
    target: lxc(162),
    body: create({clone: 102, full: false}, {sourceNode: 'pve'}),
  },
  'qemu-clone-destroy clone': {
    target: qemu(260),
    body: create(
      {clone: 201, full: true},
      {sourceNode: 'pve', options: {name: 'vm-copy', description: 'c', cores: '4'}},
    ),
  },
  'qemu-template linked': {target: qemu(265), body: create({clone: 201}, {sourceNode: 'pve'})},
  'qemu-clone-destroy destroy': {
    target: qemu(260),
    body: {type: 'destroy'},
    plus: {'destroy-unreferenced-disks': '0'},
  },
  'create-privileged destroy': {
    target: lxc(152),
    body: {type: 'destroy'},
    plus: {'destroy-unreferenced-disks': '0'},
  },
  'resize-absolute-running absolute': {
    target: lxc(101),
    body: {type: 'resize', disk: 'rootfs', toBytes: 300 * 1024 ** 2},
    plus: {digest},
  },
  'qemu-resize absolute': {
    target: qemu(201),
    body: {type: 'resize', disk: 'scsi0', toBytes: 2 * 1024 ** 3},
    plus: {digest},
  },
  'power-shutdown start': {target: lxc(101), body: {type: 'start'}},
  'power-shutdown shutdown': {
    target: lxc(101),
    body: {type: 'shutdown', timeoutMs: 9_001, force: false},
  },
  'qemu-power-shutdown-hang force': {
    target: qemu(200),
    body: {type: 'shutdown', timeoutMs: 2_000, force: true},
  },
  'running-reboot-applies-pending reboot': {target: lxc(101), body: {type: 'restart'}},
  'snapshot-life delete': {target: lxc(102), body: {type: 'snapshot-delete', snapshot: 'before'}},
  'qemu-snapshot delete': {target: qemu(201), body: {type: 'snapshot-delete', snapshot: 's1'}},
  'snapshot-rollback rollback': {target: lxc(102), body: {type: 'snapshot-rollback', snapshot: 'before'}},
  'qemu-snapshot rollback': {target: qemu(201), body: {type: 'snapshot-rollback', snapshot: 's1'}},
}

describe('the request of an operation', () => {
  for (const [title, {target, body, without = [], plus = {}, secrets}] of Object.entries(RECORDED)) {
    it(`is the one recorded as ${title}, and is answered with a task`, () => {
      const [scenario = '', step = ''] = title.split(' ')
      const {request: wire, response} = recorded(scenario, step)
      const given = Object.entries(wire?.form ?? wire?.query ?? {}).filter(([key]) => !without.includes(key))
      const params = {...Object.fromEntries(given.map(([key, value]) => [key, String(value)])), ...plus}
      const made = request(target, body, secrets)
      expect(sent(made)).to.deep.equal({method: wire?.method, path: wire?.path, params})
      expect(response?.json?.data).to.match(/^\$\{upid:/)
      expect(made.synchronous).to.equal(false)
    })
  }

  it('is none for what is no snapshot, and for a job that needs other means', () => {
    const refusals: OperationBody[] = [
      ...['current', '', '..', '1st', 'a/b', 'a'.repeat(41)].map((snapshot): OperationBody => ({
        type: 'snapshot-delete',
        snapshot,
      })),
      {type: 'snapshot-rollback', snapshot: 'current'},
      {type: 'job', job: 'storage.wipe', params: {}, of: 'storage'},
    ]
    for (const body of refusals)
      expect(() => request(lxc(102), body), JSON.stringify(body)).to.throw(/was about to be sent/)
  })

  it('of a config change is synchronous, for both kinds, and carries the digest', () => {
    for (const target of [lxc(102), qemu(201)]) {
      const made = request(target, setConfig({cores: '2', tags: 'a;b'}, ['onboot', 'description']))
      expect(made.synchronous).to.equal(true)
      expect(sent(made)).to.deep.equal({
        method: 'PUT',
        path: `/api2/json/nodes/pve/${target.kind}/${target.vmid}/config`,
        params: {cores: '2', tags: 'a;b', delete: 'onboot,description', digest},
      })
    }
  })

  it('takes back what only waits to be set', () => {
    const body: OperationBody = {type: 'set-config', set: {}, delete: [], revert: ['nameserver', 'tty']}
    expect(sent(request(lxc(101), body)).params).to.deep.equal({revert: 'nameserver,tty', digest})
  })

  it('of a clone goes to the node of the source, and names the other one as its target', () => {
    const made = request(qemu(300, 'pve2'), create({clone: 9000}, {sourceNode: 'pve1'}))
    expect(sent(made)).to.deep.equal({
      method: 'POST',
      path: '/api2/json/nodes/pve1/qemu/9000/clone',
      params: {newid: '300', target: 'pve2'},
    })
    expect(made.node).to.equal('pve1')
  })

  it('of a copy leaves out what only the finished copy takes', () => {
    const options = {
      name: 'web',
      cores: '4',
      scsi0: 'size=16G',
      net0: 'bridge=vmbr1',
      unprivileged: '1',
      pool: 'lab',
    }
    const clone = request(
      qemu(300),
      create({clone: 9000}, {sourceNode: 'pve', options, secrets: ['cipassword']}),
    )
    expect(sent(clone).params).to.deep.equal({newid: '300', name: 'web', pool: 'lab'})
    const archive = 'local:backup/vzdump-qemu-300-2026_01_01-00_00_00.vma.zst'
    const restore = request(qemu(300), create({restore: archive}, {options, secrets: ['cipassword']}))
    expect(sent(restore).params).to.deep.equal({vmid: '300', archive, name: 'web', pool: 'lab'})
  })

  it('of a container that is restored says whether it shall be privileged', () => {
    const archive = 'local:backup/vzdump-lxc-170-2026_01_01-00_00_00.tar.zst'
    const options = {unprivileged: '1', hostname: 'back', memory: '512'}
    expect(sent(request(lxc(170), create({restore: archive}, {options}))).params).to.deep.equal({
      vmid: '170',
      ostemplate: archive,
      restore: '1',
      hostname: 'back',
      unprivileged: '1',
    })
  })

  it('gives the copy of a backup addresses of its own, unless it comes back under its old number', () => {
    const unique = (target: GuestAddress, archive: string): unknown =>
      request(target, create({restore: archive})).params?.['unique']
    for (const target of [lxc(170), qemu(170)]) {
      for (const vmid of [170, 101]) {
        const expected = vmid === 170 ? undefined : 1
        const type = target.kind === 'lxc' ? 'ct' : 'vm'
        expect(unique(target, `local:backup/vzdump-${target.kind}-${vmid}-2026_01_01-00_00_00.x`)).to.equal(
          expected,
        )
        expect(unique(target, `pbs:backup/${type}/${vmid}/2026-01-01T00:00:00Z`)).to.equal(expected)
      }
      expect(unique(target, 'local:backup/by-hand.tar.zst')).to.equal(undefined)
    }
  })

  it('carries the keys for cloud-init URL-encoded once, however they were given', () => {
    const encoded = encodeURIComponent(`${KEY}\n`)
    const fresh = create({empty: true}, {secrets: ['sshkeys']})
    expect(request(qemu(300), fresh, {sshkeys: `${KEY}\n`}).params?.['sshkeys']).to.equal(encoded)
    expect(request(qemu(201), setConfig({sshkeys: encoded})).params?.['sshkeys']).to.equal(encoded)
    expect(request(qemu(201), setConfig({sshkeys: KEY})).params?.['sshkeys']).to.equal(encoded)
  })

  it('takes the secrets that it names, of what it is given, and lets no error repeat them', () => {
    const given = {cipassword: 'geheim!', sshkeys: KEY, password: 'of another'}
    for (const body of [
      {...setConfig({ciuser: 'me'}), secrets: ['cipassword', 'sshkeys']} as OperationBody,
      create({empty: true}, {options: {ciuser: 'me'}, secrets: ['cipassword', 'sshkeys']}),
    ]) {
      const made = request(qemu(300), body, given)
      expect(made.params)
        .to.include({ciuser: 'me', cipassword: 'geheim!'})
        .and.not.to.have.property('password')
      expect(made.secrets).to.include.members(['geheim!', KEY, encodeURIComponent(`${KEY}\n`)])
    }
  })

  it('holds only parameters of the schema, each of them valid', () => {
    const patterns = schemaPaths().map((path) => ({
      path,
      names: [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? ''),
      regex: new RegExp(`^/api2/json${path.replace(/\{[^}]+\}/g, '([^/]+)')}$`),
    }))
    for (const {target, body, secrets} of Object.values(RECORDED)) {
      const {method, path, params} = sent(request(target, body, secrets))
      const routes = patterns.flatMap(({path: route, names, regex}) => {
        const match = regex.exec(path)
        const schema = match && methodSchema(route, method)
        return schema
          ? [{schema, uri: Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? '']))}]
          : []
      })
      expect(routes, path).to.have.length(1)
      for (const {schema, uri} of routes) validateParams(schema, {...uri, ...params})
    }
  })

  const start: OperationBody = {type: 'start'}
  const BAD: Record<string, Partial<Intent>> = {
    'a node name that climbs': {target: lxc(102, '../x'), body: start},
    'a number that no guest can have': {target: lxc(1), body: start},
    'a number that is none': {target: lxc(102.5), body: start},
    'something that is no guest': {target: {...lxc(102), kind: 'storage' as 'lxc'}, body: start},
    'an empty change': {body: setConfig({})},
    'an empty digest': {body: setConfig({cores: '1'}), digest: ''},
    'a digest that is none': {body: setConfig({cores: '1'}), digest: 'x'},
    'an option both set and deleted': {body: setConfig({cores: '1'}, ['cores'])},
    'an option deleted twice': {body: setConfig({}, ['cores', 'cores'])},
    'an option both deleted and taken back': {
      body: {type: 'set-config', set: {}, delete: ['cores'], revert: ['cores']},
    },
    'an unknown option': {body: setConfig({skiplock: '1'})},
    'an unknown option to delete': {body: setConfig({}, ['digest'])},
    'an option that felhom does not write': {body: setConfig({lock: 'backup'})},
    'the destruction of an unused volume without a signature': {body: setConfig({}, ['unused0'])},
    'an empty value': {body: setConfig({tags: ' '})},
    'a secret that was not given': {body: {...setConfig({}), secrets: ['cores']} as OperationBody},
    'an empty digest of a resize': {body: {type: 'resize', disk: 'rootfs', toBytes: 1}, digest: ''},
    'a resize of no disk': {body: {type: 'resize', disk: 'net0', toBytes: 1}},
    'a resize to nothing': {body: {type: 'resize', disk: 'rootfs', toBytes: 0}},
    'a resize to a part of a byte': {body: {type: 'resize', disk: 'rootfs', toBytes: 1.5}},
    'a shutdown without an end': {body: {type: 'shutdown', timeoutMs: Infinity, force: true}},
    'a clone of nobody knows where': {body: create({clone: 101})},
    'a clone of itself': {body: create({clone: 102}, {sourceNode: 'pve'})},
    'a clone from a place that is none': {body: create({clone: 101}, {sourceNode: 'a/b'})},
    'a creation that starts the guest': {body: create({template: TEMPLATE}, {options: {start: '1'}})},
    'a creation over another guest': {body: create({template: TEMPLATE}, {options: {force: '1'}})},
    'a creation under HA': {body: create({template: TEMPLATE}, {options: {'ha-managed': '1'}})},
    'an empty container': {body: create({empty: true})},
    'a machine from a template': {target: qemu(300), body: create({template: TEMPLATE})},
    'a creation without its password': {body: create({template: TEMPLATE}, {secrets: ['password']})},
    'a secret that creation does not take': {body: create({template: TEMPLATE}, {secrets: ['force']})},
  }
  for (const [what, change] of Object.entries(BAD)) {
    it(`is not made for ${what}`, () => {
      const intent = journaledIntent(lxc(102), start, {digest, ...change})
      expect(() => makeRequest(intent, {force: '1'}))
        .to.throw()
        .and.satisfy(isFelhomError)
    })
  }

  it('of the destruction of an unused volume goes with the nonce of a signature, and of nothing else', () => {
    const intent = journaledIntent(lxc(102), setConfig({}, ['unused0']), {digest, key: 'nonce'})
    expect(sent(makeRequest(intent, {})).params).to.deep.equal({delete: 'unused0', digest})
    const write = journaledIntent(lxc(102), setConfig({unused0: 'local:x'}), {digest, key: 'nonce'})
    expect(() => makeRequest(write, {})).to.throw(/does not write/)
  })

  it('is not made for a config change or resize that has no digest at all', () => {
    for (const body of [setConfig({cores: '1'}), {type: 'resize', disk: 'rootfs', toBytes: 1} as const]) {
      expect(() => makeRequest(journaledIntent(lxc(102), body), {})).to.throw(/digest/)
    }
  })

  it('is not made from a secret that only looks as if it were given', () => {
    const body = create({template: TEMPLATE}, {secrets: ['password']})
    expect(() => request(lxc(150), body, Object.create({password: 'inherited'}) as Secrets)).to.throw(
      /secret/,
    )
  })
})

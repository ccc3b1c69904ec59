import {expect} from 'chai'
import {
  checkClock,
  checkGuests,
  checkNodes,
  checkQuorum,
} from '../../../../src/lib/app/doctor/check-cluster.ts'
import {checkPrivileges} from '../../../../src/lib/app/doctor/check-privileges.ts'
import {quoteForShell} from '../../../../src/lib/app/doctor/quote-for-shell.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'

const TOKEN = 'felhom@pve!ci'
const READ = ['Sys.Audit', 'VM.Audit']
const CHANGE = [
  'VM.PowerMgmt',
  'VM.Config.CPU',
  'VM.Config.Memory',
  'VM.Config.Network',
  'VM.Config.Options',
  'VM.Config.Disk',
  'VM.Config.HWType',
  'VM.Config.CDROM',
  'VM.Config.Cloudinit',
]

type Held = Record<string, readonly string[]>

/** Privileges by path, all of them propagating but those that end in `-`. */
const permissions = (held: Held): Map<string, Map<string, boolean>> =>
  new Map(
    Object.entries(held).map(([path, names]) => [
      path,
      new Map(names.map((name) => [name.replace(/-$/, ''), !name.endsWith('-')])),
    ]),
  )

describe('the doctor on privileges', () => {
  const check = (
    held: Held,
    purpose: 'read' | 'apply' = 'apply',
    token = TOKEN,
  ): ReturnType<typeof checkPrivileges> => checkPrivileges(permissions(held), token, purpose)

  it('is content with what the purpose needs', () => {
    const all = [...READ, ...CHANGE]
    expect(check({'/': all, '/vms': all}).verdict).to.equal('ok')
    expect(check({'/': READ, '/vms': READ}, 'read').verdict).to.equal('note')
    expect(check({'/': READ, '/vms': READ}, 'apply').verdict).to.equal('mend')
    expect(check({'/': ['Sys.Audit'], '/vms': ['VM.Audit', ...CHANGE]}).verdict).to.equal('ok')
  })

  it('does not count a privilege that does not reach the guests', () => {
    expect(check({'/': READ, '/vms': ['VM.Audit-']}, 'read').detail).to.contain('VM.Audit on /vms')
  })

  it('does not count a privilege on the root that an entry on /vms hides', () => {
    const {verdict, detail, commands} = check({'/': READ, '/vms': ['VM.Console']}, 'read')
    expect(verdict).to.equal('mend')
    expect(detail).to.equal('missing VM.Audit on /vms to see every guest and its config')
    expect(commands).to.deep.equal([
      'pveum role add Felhom --privs "VM.Audit"',
      `pveum acl modify /vms --users 'felhom@pve' --roles Felhom`,
      `pveum acl modify /vms --tokens 'felhom@pve!ci' --roles Felhom`,
    ])
  })

  it('grants on the root what is inherited from there, since an entry on /vms would hide the rest', () => {
    expect(check({'/': READ, '/vms': READ}).commands).to.deep.equal([
      `pveum role add Felhom --privs "${CHANGE.join(' ')}"`,
      `pveum acl modify / --users 'felhom@pve' --roles Felhom`,
      `pveum acl modify / --tokens 'felhom@pve!ci' --roles Felhom`,
    ])
  })

  it('grants once on the root to a token that holds nothing', () => {
    expect(check({}, 'read').commands).to.deep.equal([
      'pveum role add Felhom --privs "Sys.Audit VM.Audit"',
      `pveum acl modify / --users 'felhom@pve' --roles Felhom`,
      `pveum acl modify / --tokens 'felhom@pve!ci' --roles Felhom`,
    ])
  })

  it('grants root nothing: it has all, only its token may lack some', () => {
    const commands = check({}, 'read', 'root@pam!felhom').commands ?? []
    expect(commands.filter((line) => line.includes('--users'))).to.deep.equal([])
    expect(commands).to.have.length(2)
  })
})

describe('the doctor on the cluster', () => {
  it('takes a standalone node for healthy and a lost or unknown quorum for not', () => {
    const verdict = (quorum: 'quorate' | 'standalone' | 'lost' | 'unknown'): string =>
      checkQuorum(actualCluster({quorum})).verdict
    expect(verdict('quorate')).to.equal('ok')
    expect(verdict('standalone')).to.equal('ok')
    expect(verdict('lost')).to.equal('mend')
    expect(verdict('unknown')).to.equal('mend')
  })

  it('says why the quorum is unknown', () => {
    const notes = ['quorum unknown: GET /cluster/status: 500 down', 'HA membership unknown: x']
    expect(checkQuorum(actualCluster({quorum: 'unknown', notes})).detail).to.equal(notes[0])
  })

  it('names the nodes that are offline', () => {
    const node = (name: string, online: boolean): {name: string; online: boolean; listed: boolean} => ({
      name,
      online,
      listed: online,
    })
    const nodes = [node('a', true), node('b', false), node('c', false)]
    expect(checkNodes(actualCluster({nodes})).detail).to.equal('b, c offline, of a, b, c')
    expect(checkNodes(actualCluster()).verdict).to.equal('ok')
  })

  it('counts guests, notes locks and reports what could not be read', () => {
    const locked = actualGuest(101, {lock: 'backup'})
    const blind = actualGuest(102, {config: {known: false, reason: 'why'}})
    expect(checkGuests(actualCluster({guests: [actualGuest(100)]})).detail).to.equal(
      '1 guest, every config readable',
    )
    expect(checkGuests(actualCluster({guests: [locked]}))).to.deep.include({verdict: 'note'})
    expect(checkGuests(actualCluster({guests: [locked, blind]}))).to.deep.include({verdict: 'mend'})
  })
})

describe('the doctor on clocks', () => {
  const [before, after] = [1_000_000, 1_000_500]
  const CASES: [name: string, nodeMs: number, verdict: string][] = [
    ['the same time', 1_000_200, 'ok'],
    ['a second of rounding', 999_000, 'ok'],
    ['a minute behind', before - 60_000, 'ok'],
    ['more than a minute behind', before - 60_001, 'mend'],
    ['a minute ahead', after + 60_000, 'ok'],
    ['more than a minute ahead', after + 60_001, 'mend'],
  ]
  for (const [name, nodeMs, verdict] of CASES) {
    it(`says ${verdict} of ${name}`, () => {
      expect(checkClock(nodeMs, before, after).verdict).to.equal(verdict)
    })
  }

  it('tells by how much they differ', () => {
    expect(checkClock(before + 3_600_500, before, after).detail).to.equal(
      'this machine and the node differ by 3600 s',
    )
  })
})

describe('a word for a shell', () => {
  it('is quoted only where it needs to be, and stays one word', () => {
    expect(quoteForShell('/srv/felhom-1/.state')).to.equal('/srv/felhom-1/.state')
    expect(quoteForShell('/my state')).to.equal("'/my state'")
    expect(quoteForShell("it's $HOME; rm")).to.equal(String.raw`'it'\''s $HOME; rm'`)
    expect(quoteForShell('')).to.equal("''")
  })
})

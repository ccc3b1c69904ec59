import {expect} from 'chai'
import {
  hasPrivs,
  privilegesOn,
  requirePrivs,
  type Subject,
} from '../../../../src/lib/sandbox/access/permissions.ts'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import type {Access, Pool} from '../../../../src/lib/sandbox/state.ts'
import {InProcessSandbox} from '../../../support/in-process-sandbox.ts'

type Grant = [path: string, ugid: string, roleid: string, propagate?: number]

function subject(
  authid: string,
  grants: Grant[],
  options: {pools?: Pool[]; separated?: boolean} = {},
): Subject {
  const {cluster} = new InProcessSandbox()
  const {access} = cluster.state
  access.acl = grants.map(([path, ugid, roleid, propagate = 1]): Access['acl'][number] => {
    const type = ugid.startsWith('@') ? 'group' : ugid.includes('!') ? 'token' : 'user'
    return {path, type, ugid: ugid.replace(/^@/, ''), roleid, propagate}
  })
  access.groups = [{groupid: 'crew', users: ['ann@pve']}]
  access.tokens.push({tokenid: 'ann@pve!t', secret: 's', privsep: options.separated ? 1 : 0, expire: 0})
  cluster.state.pools = options.pools ?? []
  const [userid = ''] = authid.split('!')
  return {cluster, principal: {userid, authid}}
}

const privs = (who: Subject, path: string): string[] => [...privilegesOn(who, path).keys()].sort()
const STORE_USER = ['Datastore.AllocateSpace', 'Datastore.Audit']

describe('permissions', () => {
  it('are everything for root and nothing for a stranger', () => {
    expect(hasPrivs(subject('root@pam', []), '/', ['Sys.Modify'])).to.equal(true)
    expect(privs(subject('ann@pve', []), '/')).to.deep.equal([])
  })

  it('propagate downwards and only where they are told to', () => {
    const all: Grant[] = [['/storage', 'ann@pve', 'PVEDatastoreUser']]
    expect(privs(subject('ann@pve', all), '/storage/local')).to.deep.equal(STORE_USER)
    expect(privs(subject('ann@pve', all), '/')).to.deep.equal([])
    const here: Grant[] = [['/storage', 'ann@pve', 'PVEDatastoreUser', 0]]
    expect(privs(subject('ann@pve', here), '/storage')).to.deep.equal(STORE_USER)
    expect(privs(subject('ann@pve', here), '/storage/local')).to.deep.equal([])
    expect(privilegesOn(subject('ann@pve', here), '/storage').get('Datastore.Audit')).to.equal(false)
  })

  it('are inherited from the root by paths that begin there', () => {
    const who = subject('ann@pve', [['/', 'ann@pve', 'PVEDatastoreUser']])
    expect(privs(who, '/storage')).to.deep.equal(STORE_USER)
    expect(privs(who, 'storage')).to.deep.equal([])
  })

  it('are replaced, not added to, by what is granted further down', () => {
    const who = subject('ann@pve', [
      ['/', 'ann@pve', 'Administrator'],
      ['/storage/local', 'ann@pve', 'PVEDatastoreUser'],
    ])
    expect(privs(who, '/storage/local')).to.deep.equal(STORE_USER)
    expect(hasPrivs(who, '/storage/other', ['Datastore.Allocate'])).to.equal(true)
  })

  it('add up where two roles are granted at the same place', () => {
    const who = subject('ann@pve', [
      ['/', 'ann@pve', 'PVEDatastoreUser'],
      ['/', 'ann@pve', 'PVEPoolUser'],
    ])
    expect(privs(who, '/vms')).to.deep.equal([...STORE_USER, 'Pool.Audit'])
  })

  it('end at NoAccess', () => {
    const who = subject('ann@pve', [
      ['/vms', 'ann@pve', 'PVEVMUser'],
      ['/vms/100', 'ann@pve', 'NoAccess'],
      ['/vms/100', 'ann@pve', 'PVEVMAdmin'],
    ])
    expect(privs(who, '/vms/100')).to.deep.equal([])
    expect(hasPrivs(who, '/vms/101', ['VM.Audit'])).to.equal(true)
  })

  it('come from groups, unless the user has an entry of his own there', () => {
    const group: Grant[] = [['/vms', '@crew', 'PVEVMAdmin']]
    expect(hasPrivs(subject('ann@pve', group), '/vms/100', ['VM.Allocate'])).to.equal(true)
    expect(hasPrivs(subject('bob@pve', group), '/vms/100', ['VM.Allocate'])).to.equal(false)
    const both = subject('ann@pve', [...group, ['/vms', 'ann@pve', 'PVETemplateUser']])
    expect(privs(both, '/vms/100')).to.deep.equal(['VM.Audit', 'VM.Clone'])
  })

  describe('of a pool', () => {
    const pools = [{poolid: 'lab', vmids: [100], storages: ['local']}]

    it('reach its guests and storages', () => {
      const who = subject('ann@pve', [['/pool/lab', 'ann@pve', 'PVEDatastoreUser']], {pools})
      expect(privs(who, '/vms/100')).to.deep.equal(STORE_USER)
      expect(privs(who, '/storage/local')).to.deep.equal(STORE_USER)
      expect(privs(who, '/vms/101')).to.deep.equal([])
      expect(privilegesOn(who, '/vms/100').get('Datastore.Audit')).to.equal(false)
    })

    it('come on top of what is granted on the guest itself', () => {
      const who = subject(
        'ann@pve',
        [
          ['/pool/lab', 'ann@pve', 'PVEPoolUser'],
          ['/vms/100', 'ann@pve', 'PVETemplateUser'],
        ],
        {pools},
      )
      expect(privs(who, '/vms/100')).to.deep.equal(['Pool.Audit', 'VM.Audit', 'VM.Clone'])
    })

    it('yield to NoAccess on either side', () => {
      const onGuest = subject(
        'ann@pve',
        [
          ['/pool/lab', 'ann@pve', 'PVEVMUser'],
          ['/vms/100', 'ann@pve', 'NoAccess'],
        ],
        {pools},
      )
      expect(privs(onGuest, '/vms/100')).to.deep.equal([])
      const onPool = subject(
        'ann@pve',
        [
          ['/pool/lab', 'ann@pve', 'NoAccess'],
          ['/vms/100', 'ann@pve', 'PVEVMUser'],
        ],
        {pools},
      )
      expect(privs(onPool, '/vms/100')).to.deep.equal([])
    })
  })

  describe('of a token', () => {
    const grants: Grant[] = [
      ['/', 'ann@pve', 'PVEDatastoreUser'],
      ['/storage', 'ann@pve!t', 'PVEDatastoreAdmin'],
    ]

    it('are those of its user without privilege separation', () => {
      expect(privs(subject('ann@pve!t', grants), '/vms')).to.deep.equal(STORE_USER)
    })

    it('are those that both have, with it', () => {
      const who = subject('ann@pve!t', grants, {separated: true})
      expect(privs(who, '/storage/local')).to.deep.equal(STORE_USER)
      expect(privs(who, '/vms')).to.deep.equal([])
    })

    it('propagate only if both do', () => {
      const who = subject(
        'ann@pve!t',
        [
          ['/vms', 'ann@pve', 'PVEVMUser', 0],
          ['/vms', 'ann@pve!t', 'PVEVMUser', 1],
        ],
        {separated: true},
      )
      expect(privilegesOn(who, '/vms').get('VM.Audit')).to.equal(false)
    })

    it('are nothing when there is no such token', () => {
      expect(privs(subject('ann@pve!gone', grants), '/')).to.deep.equal([])
    })

    it('of root with privilege separation are what it was granted', () => {
      const who = subject('root@pam!privsep', [['/vms/100', 'root@pam!privsep', 'PVETemplateUser']])
      expect(privs(who, '/vms/100')).to.deep.equal(['VM.Audit', 'VM.Clone'])
      expect(privs(who, '/')).to.deep.equal([])
    })
  })

  it('are refused with the first that is missing, or with all if any would do', () => {
    const who = subject('ann@pve', [['/vms', 'ann@pve', 'PVETemplateUser']])
    const refusal = (wanted: string[], any?: boolean): string => {
      try {
        requirePrivs(who, '/vms/100', wanted, any)
        return ''
      } catch (error) {
        if (!(error instanceof PveError)) throw error
        return `${String(error.status)} ${error.message}`
      }
    }
    expect(refusal(['VM.Audit', 'VM.Migrate', 'VM.Backup'])).to.equal(
      '403 Permission check failed (/vms/100, VM.Migrate)\n',
    )
    expect(refusal(['VM.Migrate', 'VM.Backup'], true)).to.equal(
      '403 Permission check failed (/vms/100, VM.Migrate|VM.Backup)\n',
    )
    expect(refusal(['VM.Migrate', 'VM.Clone'], true)).to.equal('')
  })
})

import {expect} from 'chai'
import {Api} from '../../../../src/lib/sandbox/api.ts'
import {FULL_TOKEN, InProcessSandbox} from '../../../support/in-process-sandbox.ts'

interface Answer {
  status: number
  reason: string
  data: unknown
  errors: Record<string, string> | undefined
}

class Box {
  readonly sandbox = new InProcessSandbox()
  readonly api = new Api(this.sandbox.cluster)

  async send(
    method: string,
    path: string,
    params: Record<string, string> = {},
    token = FULL_TOKEN,
  ): Promise<Answer> {
    const url = `/api2/json${path}?${new URLSearchParams(params).toString()}`
    const headers = {authorization: `PVEAPIToken=${token}`}
    const {status, reason, text} = await this.sandbox.clock.run(this.api.handle({method, url, headers}))
    const json = (text === '' ? {} : JSON.parse(text)) as {data?: unknown; errors?: Record<string, string>}
    return {status, reason, data: json.data, errors: json.errors}
  }

  async must(method: string, path: string, params?: Record<string, string>): Promise<unknown> {
    const answer = await this.send(method, path, params)
    expect(answer.status, answer.reason).to.equal(200)
    return answer.data
  }
}

describe('users, tokens, roles and ACLs', () => {
  it('let a new user work through a new token with a new role', async () => {
    const box = new Box()
    await box.must('POST', '/access/roles', {roleid: 'Starter', privs: 'VM.Audit,VM.PowerMgmt'})
    await box.must('POST', '/access/users', {userid: 'bot@pve', comment: 'does things'})
    const made = (await box.must('POST', '/access/users/bot@pve/token/ci', {privsep: '0'})) as {
      value: string
      'full-tokenid': string
      info: object
    }
    expect(made['full-tokenid']).to.equal('bot@pve!ci')
    expect(made.info).to.deep.equal({privsep: '0'})
    const token = `bot@pve!ci=${made.value}`
    expect((await box.send('GET', '/nodes/pve/lxc/102/config', {}, token)).status).to.equal(403)
    await box.must('PUT', '/access/acl', {path: '/vms/102', users: 'bot@pve', roles: 'Starter'})
    expect((await box.send('GET', '/nodes/pve/lxc/102/config', {}, token)).status).to.equal(200)
    expect((await box.send('GET', '/nodes/pve/lxc/101/config', {}, token)).status).to.equal(403)
    await box.must('PUT', '/access/acl', {path: '/vms/102', users: 'bot@pve', roles: 'Starter', delete: '1'})
    expect((await box.send('GET', '/nodes/pve/lxc/102/config', {}, token)).status).to.equal(403)
    await box.must('DELETE', '/access/users/bot@pve')
    expect((await box.send('GET', '/version', {}, token)).status).to.equal(401)
  })

  it('separate the privileges of a token from those of its user', async () => {
    const box = new Box()
    const {value} = (await box.must('POST', '/access/users/ro@pve/token/narrow')) as {value: string}
    const token = `ro@pve!narrow=${value}`
    expect((await box.send('GET', '/nodes/pve/lxc/102/config', {}, token)).status).to.equal(403)
    await box.must('PUT', '/access/acl', {path: '/vms/102', tokens: 'ro@pve!narrow', roles: 'PVEVMAdmin'})
    expect((await box.send('GET', '/nodes/pve/lxc/102/config', {}, token)).status).to.equal(200)
    const put = await box.send('PUT', '/nodes/pve/lxc/102/config', {cores: '1'}, token)
    expect(put.status).to.equal(403)
    await box.must('PUT', '/access/users/ro@pve/token/narrow', {privsep: '0'})
    expect((await box.send('GET', '/nodes/pve/lxc/101/config', {}, token)).status).to.equal(200)
  })

  it('read a token back with numbers, without its secret', async () => {
    const box = new Box()
    await box.must('POST', '/access/users/ro@pve/token/t1', {expire: '1900000000', comment: 'c'})
    expect(await box.must('GET', '/access/users/ro@pve/token/t1')).to.deep.equal({
      privsep: 1,
      expire: 1_900_000_000,
      comment: 'c',
    })
    await box.must('PUT', '/access/users/ro@pve/token/t1', {comment: ''})
    expect(await box.must('GET', '/access/users/ro@pve/token/t1')).to.deep.equal({
      privsep: 1,
      expire: 1_900_000_000,
    })
  })

  it('show a user his own token list and nobody else', async () => {
    const box = new Box()
    const ro = 'ro@pve!audit=22222222-3333-4444-5555-666666666666'
    expect((await box.send('GET', '/access/users/ops@pve/token', {}, ro)).status).to.equal(403)
    const nobody = 'nobody@pve!none=44444444-5555-6666-7777-888888888888'
    expect((await box.send('GET', '/access/users', {}, nobody)).data).to.deep.equal([])
    expect((await box.send('GET', '/access/acl', {}, nobody)).data).to.deep.equal([])
    expect((await box.send('GET', '/access/acl', {}, ro)).data).to.have.length(2)
  })

  it('let a pool admin hand out no more than he has', async () => {
    const box = new Box()
    await box.must('POST', '/access/users', {userid: 'ann@pve'})
    const {value} = (await box.must('POST', '/access/users/ann@pve/token/t1', {privsep: '0'})) as {
      value: string
    }
    const token = `ann@pve!t1=${value}`
    await box.must('PUT', '/access/acl', {path: '/vms/102', users: 'ann@pve', roles: 'PVEVMAdmin'})
    const grant = (roles: string): Promise<Answer> =>
      box.send('PUT', '/access/acl', {path: '/vms/102', users: 'ro@pve', roles}, token)
    expect((await grant('PVEVMUser')).status).to.equal(200)
    expect((await grant('Administrator')).reason).to.match(
      /^ACL update failed: 400 Parameter verification failed\.$/,
    )
    expect((await grant('NoAccess')).status).to.equal(500)
    const elsewhere = await box.send(
      'PUT',
      '/access/acl',
      {path: '/vms/101', users: 'ro@pve', roles: 'PVEVMUser'},
      token,
    )
    expect(elsewhere.reason).to.equal('Permission check failed (/vms/101, Permissions.Modify|VM.Allocate)')
  })

  const refusals: [string, string, Record<string, string>, string][] = [
    ['POST', '/access/users', {userid: 'ro@pve'}, "create user failed: user 'ro@pve' already exists"],
    ['POST', '/access/users', {userid: 'x@pve', groups: 'no'}, "create user failed: no such group 'no'"],
    [
      'POST',
      '/access/users',
      {userid: 'x@nope', password: 'longenough'},
      "create user failed: auth domain 'nope' does not exist",
    ],
    ['PUT', '/access/users/ghost@pve', {comment: 'x'}, "no such user ('ghost@pve')"],
    ['GET', '/access/users/ro@pve/token/xx', {}, "no such token 'xx' for user 'ro@pve'"],
    [
      'POST',
      '/access/roles',
      {roleid: 'R', privs: 'VM.Fly'},
      "create role failed: invalid privilege 'VM.Fly'",
    ],
    [
      'PUT',
      '/access/roles/PVEAdmin',
      {privs: 'VM.Audit'},
      "auto-generated role 'PVEAdmin' cannot be modified",
    ],
    ['DELETE', '/access/roles/Administrator', {}, "auto-generated role 'Administrator' cannot be deleted"],
    ['DELETE', '/access/roles/Ghost', {}, "delete role failed: role 'Ghost' does not exist"],
    [
      'PUT',
      '/access/acl',
      {path: '/', roles: 'Ghost', users: 'ro@pve'},
      "ACL update failed: role 'Ghost' does not exist",
    ],
    [
      'PUT',
      '/access/acl',
      {path: '/', roles: 'PVEAdmin', users: 'gh@pve'},
      "ACL update failed: user 'gh@pve' does not exist",
    ],
    [
      'PUT',
      '/access/acl',
      {path: '/', roles: 'PVEAdmin', groups: 'gh'},
      "ACL update failed: group 'gh' does not exist",
    ],
  ]
  for (const [method, path, params, reason] of refusals) {
    it(`refuse ${method} ${path} ${JSON.stringify(params)}`, async () => {
      const answer = await new Box().send(method, path, params)
      // The format of a privilege list is checked before the role.
      if (answer.status === 400) expect(answer.errors).to.have.property('privs')
      else expect([answer.status, answer.reason]).to.deep.equal([500, reason])
    })
  }

  it('do not tell by an error which users there are', async () => {
    const answer = await new Box().send('POST', '/access/users/ghost@pve/token/xx')
    expect([answer.status, answer.reason]).to.deep.equal([403, 'Permission check failed'])
    const malformed = await new Box().send('POST', '/access/users/ghost/token/xx')
    expect(malformed.reason).to.equal("value 'ghost' does not look like a valid user name")
  })

  const invalid: [string, string, Record<string, string>, Record<string, string>][] = [
    ['POST', '/access/users/ro@pve/token/audit', {}, {tokenid: 'Token already exists.'}],
    [
      'PUT',
      '/access/acl',
      {path: '/nope', roles: 'PVEAdmin', users: 'ro@pve'},
      {path: "invalid ACL path '/nope'"},
    ],
    [
      'PUT',
      '/access/acl',
      {path: '/', roles: 'PVEAdmin'},
      Object.fromEntries(
        ['users', 'groups', 'tokens'].map((n) => [n, "either 'users', 'groups' or 'tokens' is required."]),
      ),
    ],
    [
      'POST',
      '/access/roles',
      {roleid: 'pveMine'},
      {roleid: "cannot use role ID starting with the (case-insensitive) 'PVE' namespace"},
    ],
  ]
  for (const [method, path, params, errors] of invalid) {
    it(`call ${method} ${path} ${JSON.stringify(params)} invalid`, async () => {
      const answer = await new Box().send(method, path, params)
      expect(answer.status).to.equal(400)
      expect(answer.errors).to.deep.equal(errors)
    })
  }

  it('change nothing without quorum', async () => {
    const box = new Box()
    box.sandbox.cluster.state.quorate = false
    const answer = await box.send('POST', '/access/users', {userid: 'x@pve'})
    expect(answer.reason).to.equal("create user failed: cfs-lock 'file-user_cfg' error: no quorum!")
  })

  it('list realms to anybody and groups to those who may see them', async () => {
    const box = new Box()
    box.sandbox.cluster.state.access.groups = [{groupid: 'crew', users: ['ro@pve', 'ops@pve'], comment: 'c'}]
    const {text} = await box.api.handle({method: 'GET', url: '/api2/json/access/domains', headers: {}})
    expect(text).to.contain('"realm":"pve"')
    expect(await box.must('GET', '/access/groups')).to.deep.equal([
      {groupid: 'crew', users: 'ops@pve,ro@pve', comment: 'c'},
    ])
  })

  it('join and leave groups with a user update', async () => {
    const box = new Box()
    const {access} = box.sandbox.cluster.state
    access.groups = [
      {groupid: 'a', users: ['ro@pve']},
      {groupid: 'b', users: []},
    ]
    await box.must('PUT', '/access/users/ro@pve', {groups: 'b', append: '1'})
    expect(access.groups.map((g) => g.users)).to.deep.equal([['ro@pve'], ['ro@pve']])
    await box.must('PUT', '/access/users/ro@pve', {groups: 'b'})
    expect(access.groups.map((g) => g.users)).to.deep.equal([[], ['ro@pve']])
    expect(await box.must('GET', '/access/users/ro@pve')).to.deep.include({groups: ['b']})
  })

  it('change nothing when a part of a change is refused', async () => {
    const box = new Box()
    box.sandbox.cluster.state.access.groups.push({groupid: 'ops', users: ['ro@pve']})
    const user = await box.send('PUT', '/access/users/ro@pve', {groups: 'nope'})
    expect(user.reason).to.equal("update user failed: no such group 'nope'")
    expect(await box.must('GET', '/access/groups/ops')).to.deep.equal({members: ['ro@pve']})
    await box.must('PUT', '/access/users/ro@pve/token/audit', {comment: 'kept'})
    const token = await box.send('PUT', '/access/users/ro@pve/token/audit', {delete: 'comment,expire'})
    expect(token.reason).to.match(/^updating token info failed: 400 Parameter verification failed/)
    expect(await box.must('GET', '/access/users/ro@pve/token/audit')).to.have.property('comment', 'kept')
  })

  it('refuse a name that nobody can have before they look for him', async () => {
    const box = new Box()
    expect((await box.send('GET', '/access/users/x')).reason).to.equal("user name 'x' is too short")
    expect((await box.send('GET', '/access/users/nobody')).reason).to.equal(
      "value 'nobody' does not look like a valid user name",
    )
  })

  it('write a dash for a parameter that a permission needs and nobody gave', async () => {
    const {reason} = await new Box().send(
      'PUT',
      '/access/acl',
      {roles: 'PVEAdmin', users: 'ro@pve'},
      'ro@pve!audit=22222222-3333-4444-5555-666666666666',
    )
    expect(reason).to.equal('Permission check failed (/-, Permissions.Modify)')
  })

  it('deny even root’s token what cannot be a path of the ACL', async () => {
    const {reason} = await new Box().send('GET', '/nodes/pve/lxc/10%24/config')
    expect(reason).to.equal('Permission check failed (, VM.Audit)')
  })

  it('show a realm with the digest of its file', async () => {
    const box = new Box()
    expect(await box.must('GET', '/access/domains/pve')).to.include.all.keys('type', 'comment', 'digest')
    expect((await box.send('GET', '/access/domains/nope')).reason).to.equal("domain 'nope' does not exist")
  })

  it('check an upload at the door: 403 with an empty body after three seconds', async () => {
    const box = new Box()
    const before = box.sandbox.clock.now()
    const {reason, data} = await box.send(
      'POST',
      '/nodes/pve/storage/local/upload',
      {},
      'ro@pve!audit=22222222-3333-4444-5555-666666666666',
    )
    expect(reason).to.equal('Permission check failed (/storage/local, Datastore.AllocateTemplate)')
    expect([data, box.sandbox.clock.now() - before]).to.deep.equal([undefined, 3000])
  })
})

describe('a password', () => {
  const login = async (box: Box, password: string): Promise<Record<string, string>> => {
    const body = `username=ro%40pve&password=${password}`
    const headers = {'content-length': String(body.length)}
    const url = '/api2/json/access/ticket'
    const {text} = await box.sandbox.clock.run(box.api.handle({method: 'POST', url, headers, body}))
    const {data} = JSON.parse(text) as {data: {ticket: string; CSRFPreventionToken: string} | null}
    return data ? {cookie: `PVEAuthCookie=${data.ticket}`, csrfpreventiontoken: data.CSRFPreventionToken} : {}
  }
  const change = async (
    box: Box,
    headers: Record<string, string>,
    query: string,
  ): Promise<[number, string]> => {
    const url = `/api2/json/access/password?${query}`
    const answer = await box.sandbox.clock.run(box.api.handle({method: 'PUT', url, headers}))
    return [answer.status, answer.reason]
  }

  it('is changed by its user, who confirms it with the old one', async () => {
    const box = new Box()
    const headers = await login(box, 'readonly123')
    const query = 'userid=ro%40pve&password=abcdefgh'
    expect((await change(box, headers, query))[0]).to.equal(400)
    expect(await change(box, headers, `${query}&confirmation-password=wrong`)).to.deep.equal([
      500,
      'invalid credentials',
    ])
    expect((await change(box, headers, `${query}&confirmation-password=readonly123`))[0]).to.equal(200)
    expect(await login(box, 'readonly123')).to.deep.equal({})
    expect(await login(box, 'abcdefgh')).to.have.property('cookie')
  })

  it('of somebody else needs the realm, whatever the other branch says', async () => {
    const box = new Box()
    const answer = await change(box, await login(box, 'readonly123'), 'userid=ops%40pve&password=abcdefgh')
    expect(answer).to.deep.equal([403, 'Permission check failed (/access/realm/pve, Realm.AllocateUser)'])
  })

  it('is not changed with a token', async () => {
    const {status, reason} = await new Box().send('PUT', '/access/password', {userid: 'ro@pve'})
    expect([status, reason.includes('not available with API token')]).to.deep.equal([403, true])
  })
})

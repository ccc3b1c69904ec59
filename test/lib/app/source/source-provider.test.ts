import {expect} from 'chai'
import {mkdtempSync, readdirSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {openDesired} from '../../../../src/lib/app/source/open-desired.ts'
import type {DesiredReading} from '../../../../src/lib/model/desired.ts'
import type {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import type {DesiredSource} from '../../../../src/lib/settings/settings.ts'
import {createAuthority} from '../../../support/certificates.ts'
import {GitLab} from '../../../support/git-lab.ts'
import {httpAnswer, startScriptedServer} from '../../../support/scripted-server.ts'
import {guestsYaml} from '../../../support/source-lab.ts'

describe('desired state from elsewhere, for a command', () => {
  let lab: GitLab
  beforeEach(() => (lab = new GitLab()))
  afterEach(() => lab.remove())

  const load = (setting: DesiredSource, secrets?: string): Promise<DesiredReading> =>
    openDesired({cwd: lab.root, paths: [], setting, secrets, env: lab.env}).load()
  const failure = async (setting: DesiredSource): Promise<string> => {
    const thrown = await load(setting).catch((error: unknown) => error)
    const {code, message} = thrown as FelhomError
    return `${code}: ${message}`
  }
  const copies = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('felhom-source-'))

  it('is fetched from git, and nothing is left behind', async () => {
    lab.commit({'a.yaml': guestsYaml(101)})
    const before = copies()
    const reading = await load({git: lab.repository})
    expect(reading.valid && reading.state.guests.map(({vmid}) => vmid)).to.deep.equal([101])
    expect(copies()).to.deep.equal(before)
    expect(await failure({git: lab.repository, branch: 'gone'})).to.match(/^source_refused: .*no branch gone/)
    expect(await failure({git: join(lab.root, 'gone')})).to.match(/^source_away: the desired state cannot be/)
  })

  it('is fetched over https, with the authority and the token that the settings name', async () => {
    const authority = await createAuthority()
    const server = await startScriptedServer(await authority.issue(), ({headers}, socket) => {
      const isKnown = headers.get('authorization') === 'Bearer hub-token'
      socket.end(isKnown ? httpAnswer(200, 'OK', guestsYaml(102)) : httpAnswer(401, 'No', ''))
    })
    try {
      const dir = mkdtempSync(join(lab.root, 'files-'))
      const [ca, token] = [join(dir, 'ca.pem'), join(dir, 'token')]
      writeFileSync(ca, authority.pem)
      writeFileSync(token, 'hub-token\n', {mode: 0o600})
      const reading = await load({https: server.url, ca, token})
      expect(reading.valid && reading.state.guests.map(({vmid}) => vmid)).to.deep.equal([102])
      expect(await failure({https: server.url, ca})).to.match(/^source_away: .*status 401$/)
      writeFileSync(join(dir, 'loose'), 'hub-token', {mode: 0o644})
      expect(await failure({https: server.url, ca, token: join(dir, 'loose')})).to.match(/has mode 0644/)
      expect(await failure({https: server.url, ca: join(dir, 'gone')})).to.match(
        /gone cannot be read \(ENOENT\)/,
      )
    } finally {
      await server.close()
    }
  })

  it('may take secrets from one directory only', async () => {
    const create = 'create: {template: "local:vztmpl/x.tar.zst", password: {fromFile: root}}'
    lab.commit({'a.yaml': `felhom: 1\nguests:\n  101: {kind: lxc, ${create}}\n`})
    const setting = {git: lab.repository}
    expect((await load(setting)).valid).to.equal(false)
    const reading = await load(setting, '/etc/felhom/secrets')
    expect(reading.valid && reading.state.guests[0]?.create?.password).to.deep.equal({
      file: '/etc/felhom/secrets/root',
    })
  })
})

import {expect} from 'chai'
import {describeOrigin, describeSettings} from '../../../src/lib/app/describe-settings.ts'
import {definitions} from '../../../src/lib/settings/definitions.ts'
import {loadSettings} from '../../../src/lib/settings/load-settings.ts'

const CWD = '/nonexistent/project'

const rowsOf = async (
  env: NodeJS.ProcessEnv,
): Promise<Map<string, {value: unknown; text: string; origin: string}>> => {
  const {entries} = await loadSettings({cwd: CWD, env: {XDG_CONFIG_HOME: '/nonexistent', ...env}})
  return new Map(describeSettings(entries).map(({key, ...row}) => [key, row]))
}

describe('settings to show', () => {
  it('are all keys of the table, set or not, in its order', async () => {
    expect([...(await rowsOf({})).keys()]).to.deep.equal(definitions.map((d) => d.key))
  })

  it('stand as they take effect: paths absolute, durations and choices as they are written', async () => {
    const rows = await rowsOf({FELHOM_STATE: 'var', FELHOM_RECOVER__SETTLE: '2m', FELHOM_DESIRED: 'a,b'})
    expect(rows.get('state')).to.deep.equal({
      value: `${CWD}/var`,
      text: `${CWD}/var`,
      origin: 'environment FELHOM_STATE',
    })
    expect(rows.get('recover.settle')).to.deep.include({value: 120_000, text: '2m'})
    expect(rows.get('desired')?.value).to.deep.equal({paths: [`${CWD}/a`, `${CWD}/b`]})
    expect(rows.get('limits.reads')).to.deep.equal({value: 8, text: '8', origin: 'default'})
    expect(rows.get('approvals')).to.deep.equal({value: null, text: '', origin: 'not set'})
  })

  it('name the places where a token is looked for, and only the one that a setting names', async () => {
    const unset = await rowsOf({FELHOM_TOKEN: 'a@b!c=d'})
    expect(unset.get('token.env')).to.deep.include({text: 'FELHOM_TOKEN', origin: 'default'})
    expect(unset.get('token.credential')).to.deep.include({text: 'felhom-token', origin: 'default'})
    const set = await rowsOf({FELHOM_TOKEN__FILE: '/etc/felhom/token'})
    expect(set.get('token.file')?.text).to.equal('/etc/felhom/token')
    expect(set.get('token.env')?.origin).to.equal('not set')
    expect(set.get('token.credential')?.origin).to.equal('not set')
  })

  it('tell each origin in words', () => {
    expect(describeOrigin({from: 'flag', name: '--state'})).to.equal('flag --state')
    expect(describeOrigin({from: 'env', name: 'FELHOM_STATE'})).to.equal('environment FELHOM_STATE')
    expect(describeOrigin({from: 'file', file: '/a/felhom.yaml', line: 3})).to.equal('/a/felhom.yaml:3')
    expect(describeOrigin({from: 'file', file: '/a/felhom.yaml'})).to.equal('/a/felhom.yaml')
    expect(describeOrigin({from: 'default'})).to.equal('default')
  })
})

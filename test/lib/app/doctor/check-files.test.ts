import {chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {checkSettings, checkStateDirectory, checkToken} from '../../../../src/lib/app/doctor/check-files.ts'
import {loadSettings} from '../../../../src/lib/settings/load-settings.ts'
import {CANARY_TOKEN, expectNoCanary} from '../../../support/canary.ts'

describe('the doctor on files', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-doctor-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const settings = async (): Promise<ReturnType<typeof checkSettings>> =>
    checkSettings(await loadSettings({cwd: dir, env: {XDG_CONFIG_HOME: '/nonexistent'}}))

  it('names the settings files that are in use', async () => {
    expect((await settings()).detail).to.equal('no settings file; flags and variables only')
    writeFileSync(join(dir, 'felhom.yaml'), 'felhom: 1\n', {mode: 0o644})
    expect(await settings()).to.deep.include({verdict: 'ok', detail: join(dir, 'felhom.yaml')})
  })

  it('minds a settings file that others may change, through a link too', async () => {
    const file = join(dir, 'real.yaml')
    writeFileSync(file, 'felhom: 1\n')
    symlinkSync(file, join(dir, 'felhom.yaml'))
    for (const mode of [0o620, 0o602, 0o666]) {
      chmodSync(file, mode)
      expect((await settings()).verdict).to.equal('mend')
    }
    chmodSync(file, 0o644)
    expect((await settings()).verdict).to.equal('ok')
  })

  it('tells one mistake and several', async () => {
    writeFileSync(join(dir, 'felhom.yaml'), 'felhom: 1\nendpont: x\n')
    expect((await settings()).detail).to.equal(
      `a mistake in ${join(dir, 'felhom.yaml')}:2: there is no setting 'endpont'`,
    )
    writeFileSync(join(dir, 'felhom.yaml'), 'felhom: 1\nendpont: x\nstte: y\n')
    expect((await settings()).detail).to.match(/^2 mistakes, the first in /)
  })

  it('names the token and its place, never its secret', () => {
    const finding = checkToken(undefined, {FELHOM_TOKEN: CANARY_TOKEN})
    expect(finding).to.deep.include({
      verdict: 'ok',
      detail: 'root@pam!felhom, from the variable FELHOM_TOKEN',
    })
    expectNoCanary(finding)
    expect(checkToken(undefined, {}).verdict).to.equal('mend')
  })

  it('wants a state directory that is its own and closed to others', () => {
    const state = join(dir, 'state')
    expect(checkStateDirectory(state)).to.deep.include({verdict: 'ok'})
    mkdirSync(state, {mode: 0o700})
    expect(checkStateDirectory(state)).to.deep.include({verdict: 'ok', detail: state})
    for (const mode of [0o750, 0o701, 0o777]) {
      chmodSync(state, mode)
      expect(checkStateDirectory(state).commands).to.deep.equal([`chmod 700 ${state}`])
    }
    symlinkSync(state, join(dir, 'link'))
    writeFileSync(join(dir, 'file'), '')
    for (const name of ['link', 'file']) {
      expect(checkStateDirectory(join(dir, name)).detail).to.contain('is not a directory')
    }
  })
})

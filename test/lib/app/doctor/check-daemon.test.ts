import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {checkDaemon} from '../../../../src/lib/app/doctor/check-daemon.ts'
import {loadSettings} from '../../../../src/lib/settings/load-settings.ts'

describe('the doctor on the settings of the daemon', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-doctor-'))
    writeFileSync(join(dir, 'secret'), 'x', {mode: 0o600})
    writeFileSync(join(dir, 'open'), 'x', {mode: 0o644})
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  const check = async (daemon: string): Promise<string[]> => {
    writeFileSync(join(dir, 'felhom.yaml'), `felhom: 1\n${daemon}\n`)
    const loaded = await loadSettings({cwd: dir, env: {XDG_CONFIG_HOME: '/nonexistent'}})
    expect(loaded.diagnostics).to.deep.equal([])
    return checkDaemon(loaded).map(({verdict, detail}) => `${verdict}: ${detail}`)
  }

  it('says nothing where nothing is set for it', async () => {
    expect(await check('')).to.deep.equal([])
  })

  it('tells what it would be allowed to do, and where it tells of it', async () => {
    expect(await check('daemon: {mode: benign}')).to.deep.equal(['ok: mode benign, every 1 min'])
    const windows = 'windows: [{cron: "0 2 * * *", duration: 2h}]'
    expect(
      await check(
        `daemon: {interval: 5m, listen: "127.0.0.1:9610", ${windows}, webhook: {url: "https://hook.example/x?key=1"}}`,
      ),
    ).to.deep.equal([
      'ok: mode observe (outside of its window: observe), every 5 min, metrics on 127.0.0.1:9610, alerts to hook.example',
    ])
  })

  it('minds windows that mean nothing, and says so of each thing at once', async () => {
    const found = await check(
      'daemon: {windows: [{cron: "0 99 * * *", duration: 2h}], listen: "0.0.0.0:9610"}',
    )
    expect(found).to.have.lengthOf(2)
    expect(found[0]).to.match(/^mend: .*0 99 \* \* \*/)
    expect(found[1]).to.match(/^mend: daemon\.listen is 0\.0\.0\.0:9610, which others can reach/)
  })

  it('minds tokens that others may read, or that would travel in the open', async () => {
    expect(await check('daemon: {listen: "0.0.0.0:9610", listen_token: secret}')).to.have.lengthOf(1)
    expect((await check('daemon: {listen: "0.0.0.0:9610", listen_token: open}'))[0]).to.contain('mode 0644')
    const hook = (url: string): Promise<string[]> =>
      check(`daemon: {webhook: {url: "${url}", token: secret}}`)
    expect((await hook('http://hook.example/'))[0]).to.match(/^mend: .*without encryption/)
    expect((await hook('https://hook.example/'))[0]).to.match(/^ok/)
    expect((await hook('http://127.0.0.1:8080/'))[0]).to.match(/^ok/)
  })
})

import {chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {expect} from 'chai'
import {borrowCredential} from '../../../../src/lib/app/doctor/borrow-credential.ts'
import {belongsToDaemon} from '../../../../src/lib/app/doctor/check-files.ts'
import {checkUnits} from '../../../../src/lib/app/doctor/check-units.ts'
import {planUnits, writeUnits} from '../../../../src/lib/app/systemd/install-units.ts'

describe('the doctor on units', () => {
  let root: string
  const uid = process.getuid?.() ?? 0
  const write = (path: string, text: string, mode = 0o644): void => {
    const place = join(root, path)
    mkdirSync(dirname(place), {recursive: true})
    writeFileSync(place, text, {mode})
  }
  const install = async (kind: 'daemon' | 'timer' = 'daemon'): Promise<void> => {
    const request = {
      packageRoot: '/nonexistent',
      program: '/usr/bin/felhom',
      config: '/etc/felhom/felhom.yaml',
      prefix: root,
    }
    writeUnits((await planUnits(request, kind)).units)
  }
  const service = (): string => join(root, 'etc/systemd/system/felhom.service')
  const edit = (from: string, to: string): void => {
    writeFileSync(service(), readFileSync(service(), 'utf8').replace(from, to))
  }
  const details = async (): Promise<string> =>
    (await checkUnits(root)).map(({verdict, detail}) => `${verdict}: ${detail}`).join('\n')

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'felhom-units-'))
    write('usr/bin/felhom', '')
    write('etc/felhom/token', 'x', 0o600)
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ntoken: {credential: token}\n')
    write(
      'etc/passwd',
      `root:x:0:0:::\nfelhom:x:${uid}:${uid}:felhom daemon:/var/lib/felhom:/usr/sbin/nologin\n`,
    )
    mkdirSync(join(root, 'var/lib/felhom'), {recursive: true, mode: 0o700})
    await install()
  })
  afterEach(() => {
    rmSync(root, {recursive: true, force: true})
  })

  it('says nothing where none is installed', async () => {
    rmSync(service())
    expect(await checkUnits(root)).to.deep.equal([])
  })

  it('minds a directory that the unit writes to and that is not there', async () => {
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /srv/a $b\ntoken: {credential: token}\n')
    await install()
    const [finding] = await checkUnits(root)
    expect(finding?.detail).to.contain('writes to /srv/a $b, which is not there')
    expect(finding?.commands).to.deep.equal(["install -d -m 700 -o felhom -g felhom '/srv/a $b'"])
    mkdirSync(join(root, 'srv/a $b'), {recursive: true})
    expect(await details()).to.match(/^ok: /)
  })

  it('has the directory of the outcomes made for the group to look into', async () => {
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ndaemon: {outcomes: /srv/out}\n')
    await install()
    const [finding] = await checkUnits(root)
    expect(finding?.commands).to.deep.equal(['install -d -m 750 -o felhom -g felhom /srv/out'])
  })

  it('minds settings that the unit cannot work with', async () => {
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ndaemon: {outcomes: /home/anna/out}\n')
    const [finding] = await checkUnits(root)
    expect(finding?.detail).to.contain('outcomes of signed jobs in /home/anna/out, below /home')
    expect(finding?.advice).to.contain('/var/lib/felhom-outcomes')
  })

  it('does not take what it may not look into for gone', async () => {
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ndaemon: {outcomes: /srv/shut/out}\n')
    mkdirSync(join(root, 'srv/shut/out'), {recursive: true})
    await install()
    for (const open of ['', 'var', 'var/lib']) chmodSync(join(root, open), 0o755)
    const shut = [join(root, 'srv/shut'), join(root, 'etc/felhom')]
    for (const dir of shut) chmodSync(dir, 0)
    const isRoot = process.geteuid?.() === 0
    if (isRoot) process.seteuid?.(65_534)
    try {
      expect(await details()).to.match(/^ok: /)
    } finally {
      if (isRoot) process.seteuid?.(0)
      for (const dir of shut) chmodSync(dir, 0o700)
    }
  })

  it('is content with what felhom wrote, and tells its exposure and the lines of others', async () => {
    expect(await details()).to.match(/^ok: \/etc\/systemd\/system\/felhom\.service, exposure (?:0|1)\.\d$/)
    write('etc/systemd/system/felhom.service.d/override.conf', '[Service]\nNice=5\n')
    expect(await details()).to.contain('your own lines in override.conf')
  })

  it('minds a unit that was changed, or that no longer fits the settings', async () => {
    edit('RestartSec=10s', 'RestartSec=1s')
    expect(await details()).to.equal(
      'mend: /etc/systemd/system/felhom.service is not as felhom would write it now',
    )
    edit('RestartSec=1s', 'RestartSec=10s')
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ndaemon: {stop_timeout: 10m}\n')
    expect(await details()).to.contain('not as felhom would write it')
  })

  it('minds an exposure that grew, a program that is gone, and no user', async () => {
    edit('ProtectSystem=strict\nProtectHome=yes', 'ProtectSystem=no\nProtectHome=no')
    edit('CapabilityBoundingSet=\n', '')
    expect(await details()).to.match(/exposure of \d\.\d, more than 1\.5/)
    rmSync(join(root, 'usr/bin/felhom'))
    write('etc/passwd', 'root:x:0:0:::\n')
    expect(await details())
      .to.contain('starts /usr/bin/felhom, which is not there')
      .and.contain('no user felhom')
  })

  it('minds a credential that others may read, or that is missing', async () => {
    chmodSync(join(root, 'etc/felhom/token'), 0o640)
    expect(await details()).to.equal("mend: the credential /etc/felhom/token is not root's alone")
    rmSync(join(root, 'etc/felhom/token'))
    const [finding] = await checkUnits(root)
    expect(finding?.commands).to.deep.equal(['install -m 600 /dev/stdin /etc/felhom/token'])
  })

  it("tries the unit's own credential where the settings want it and none is given", () => {
    const given = join(root, 'etc/felhom')
    const borrow = (name: string, env = {}): unknown =>
      borrowCredential({credential: name}, env, root)['CREDENTIALS_DIRECTORY']
    expect(borrow('token')).to.equal(given)
    expect(borrow('other')).to.equal(undefined)
    expect(borrow('token', {CREDENTIALS_DIRECTORY: '/run/x'})).to.equal('/run/x')
    expect(borrowCredential({file: '/x'}, {}, root)).to.deep.equal({})
    rmSync(join(given, 'token'))
    expect(borrow('token')).to.equal(undefined)
  })

  it('minds a state directory that is open to others', async () => {
    chmodSync(join(root, 'var/lib/felhom'), 0o750)
    expect(await details()).to.contain("/var/lib/felhom is not the user felhom's alone")
    expect(belongsToDaemon(join(root, 'var/lib/felhom'), root), 'ours is ours').to.equal(false)
  })

  it('minds a timer that keeps an old pace, and files that are gone', async () => {
    rmSync(service())
    await install('timer')
    write('etc/felhom/felhom.yaml', 'felhom: 1\nstate: /var/lib/felhom\ndaemon: {interval: 5m}\n')
    const [finding, ...more] = await checkUnits(root)
    expect(finding?.detail).to.equal(
      '/etc/systemd/system/felhom-once.timer is not as felhom would write it now',
    )
    expect(finding?.commands).to.include('felhom daemon install --timer')
    expect(more).to.deep.equal([])
    await install()
    rmSync(join(root, 'etc/systemd/system/felhom-once.timer'))
    rmSync(join(root, 'etc/sysusers.d/felhom.conf'))
    expect((await details()).split('\n').sort()).to.deep.equal([
      'mend: /etc/systemd/system/felhom-once.timer is not there',
      'mend: /etc/sysusers.d/felhom.conf is not there',
    ])
  })

  it('looks at the unit of the timer too', async () => {
    await install('timer')
    expect((await checkUnits(root)).map(({verdict}) => verdict)).to.deep.equal(['ok', 'ok'])
  })
})

import {execFile} from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {promisify} from 'node:util'
import {expect} from 'chai'
import {measureExposure} from '../../../../src/lib/app/systemd/measure-exposure.ts'
import {planUnits, writeUnits} from '../../../../src/lib/app/systemd/install-units.ts'
import {
  MOST_EXPOSURE,
  renderUnits,
  WATCHDOG_MS,
  type UnitFacts,
} from '../../../../src/lib/app/systemd/render-units.ts'
import {makePalette} from '../../../../src/lib/report/palette.ts'
import {renderUnitChanges} from '../../../../src/lib/report/units-text.ts'
import {rejection} from '../../../support/reject.ts'

const run = promisify(execFile)

const FACTS: UnitFacts = {
  program: ['/usr/bin/env', '/usr/lib/node_modules/felhom/bin/run.js'],
  config: '/etc/felhom/felhom.yaml',
  credential: 'token',
  writable: [],
  stopTimeoutMs: 75_000,
  requestTimeoutMs: 40_000,
  intervalMs: 60_000,
  jitter: 0.1,
}

describe('the units for systemd', function () {
  this.timeout(60_000)
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-units-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true, force: true})
  })

  const install = (facts: UnitFacts): string[] =>
    (['daemon', 'timer'] as const)
      .flatMap((kind) => renderUnits(kind, facts))
      .map(({path, text}) => {
        const place = join(dir, path)
        mkdirSync(dirname(place), {recursive: true})
        writeFileSync(place, text)
        return place
      })
  const lineOf = (kind: 'daemon' | 'timer', facts: UnitFacts, key: string): string[] =>
    renderUnits(kind, facts)
      .flatMap(({text}) => text.split('\n'))
      .filter((line) => line.startsWith(`${key}=`))
      .map((line) => line.slice(key.length + 1))

  it('leave little to be exposed, as systemd-analyze sees it', async () => {
    for (const place of install(FACTS).filter((path) => path.endsWith('.service'))) {
      const exposure = await measureExposure(place)
      expect(exposure, place).to.be.within(0.1, MOST_EXPOSURE)
    }
  })

  it('are understood by systemd without a complaint', async () => {
    const units = install({...FACTS, writable: ['/srv/felhom outcomes']}).filter(
      (path) => !path.endsWith('.conf'),
    )
    const {stderr} = await run('systemd-analyze', ['verify', '--man=no', ...units])
    const ours = stderr.split('\n').filter((line) => line.includes('felhom'))
    expect(ours.join('\n')).to.equal('')
  })

  it('make the user that they run as', async () => {
    install(FACTS)
    mkdirSync(join(dir, 'etc'), {recursive: true})
    await run('systemd-sysusers', [`--root=${dir}`, join(dir, 'etc/sysusers.d/felhom.conf')])
    expect(readFileSync(join(dir, 'etc/passwd'), 'utf8')).to.match(
      /^felhom:[^:]*:\d+:\d+:felhom daemon:\/var\/lib\/felhom:.*nologin$/m,
    )
  })

  it('give the daemon longer to end than it gives its tasks, and the loop time to show progress', () => {
    const facts = {...FACTS, stopTimeoutMs: 600_000}
    expect(lineOf('daemon', facts, 'TimeoutStopSec')).to.deep.equal(['630s'])
    expect(lineOf('timer', facts, 'TimeoutStopSec')).to.deep.equal(['630s'])
    expect(lineOf('daemon', facts, 'WatchdogSec')).to.deep.equal([`${WATCHDOG_MS / 1000}s`])
  })

  it('leave the watchdog three times as long as one request may take', () => {
    const patient = {...FACTS, requestTimeoutMs: 600_000}
    expect(lineOf('daemon', patient, 'WatchdogSec')).to.deep.equal(['1800s'])
  })

  it('start again what a new start can mend, and nothing else', () => {
    expect(lineOf('daemon', FACTS, 'Restart')).to.deep.equal(['on-failure'])
    expect(lineOf('daemon', FACTS, 'RestartPreventExitStatus')).to.deep.equal(['7 64 65'])
    expect(lineOf('timer', FACTS, 'SuccessExitStatus')).to.deep.equal(['3'])
  })

  it('take the pace of the timer from the settings', () => {
    const facts = {...FACTS, intervalMs: 900_000, jitter: 0.2}
    expect(lineOf('timer', facts, 'OnUnitInactiveSec')).to.deep.equal(['900s'])
    expect(lineOf('timer', facts, 'RandomizedDelaySec')).to.deep.equal(['180s'])
  })

  it('quote what systemd would read in another way', () => {
    const facts = {...FACTS, program: ['/opt/a b/%n/"$x\\y'], credential: undefined}
    expect(lineOf('daemon', facts, 'ExecStart')).to.deep.equal([
      String.raw`"/opt/a b/%%n/\"$$x\\y" daemon --config /etc/felhom/felhom.yaml`,
    ])
    expect(lineOf('daemon', facts, 'LoadCredential')).to.deep.equal([])
    // A path is no command: $ stands for nothing in it.
    const paths = {...FACTS, writable: ['/srv/a$b 100%']}
    expect(lineOf('daemon', paths, 'ReadWritePaths')).to.deep.equal(['"/srv/a$b 100%%"'])
  })
})

describe('the installation of units', () => {
  let prefix: string
  beforeEach(() => {
    prefix = mkdtempSync(join(tmpdir(), 'felhom-units-'))
  })
  afterEach(() => {
    rmSync(prefix, {recursive: true, force: true})
  })

  const request = (change: object = {}) => ({
    packageRoot: '/nonexistent',
    program: '/usr/bin/felhom',
    config: '/etc/felhom/felhom.yaml',
    prefix,
    ...change,
  })
  const settle = (text: string): void => {
    mkdirSync(join(prefix, 'etc/felhom'), {recursive: true})
    writeFileSync(join(prefix, 'etc/felhom/felhom.yaml'), `felhom: 1\n${text}`)
  }
  const place = (): string => join(prefix, 'etc/systemd/system/felhom.service')

  it('writes what was shown, once, and for everybody to read', async () => {
    const planned = await planUnits(request(), 'daemon')
    expect(planned.units.map(({path, before}) => [path, before])).to.deep.equal([
      ['/etc/sysusers.d/felhom.conf', undefined],
      ['/etc/systemd/system/felhom.service', undefined],
    ])
    expect(planned.warnings.join()).to.contain('does not exist yet')
    expect(planned.missingCredential).to.equal('token')
    expect(writeUnits(planned.units)).to.deep.equal(planned.units)
    expect(statSync(place()).mode & 0o777).to.equal(0o644)
    expect(readdirSync(dirname(place()))).to.deep.equal(['felhom.service'])
    const again = await planUnits(request(), 'daemon')
    expect(again.hasChanges).to.equal(false)
    expect(writeUnits(again.units)).to.deep.equal([])
  })

  it('shows a unified diff of what somebody changed, with nothing in it that moves the cursor', async () => {
    writeUnits((await planUnits(request(), 'daemon')).units)
    const text = readFileSync(place(), 'utf8')
    writeFileSync(place(), text.replace('RestartSec=10s', 'RestartSec=1s\u001B[2J'))
    const {units} = await planUnits(request(), 'daemon')
    const shown = renderUnitChanges(units, makePalette(false))
    expect(shown).to.contain(`--- ${place()}\n+++ ${place()}\n@@ -`)
    expect(shown).to.contain('\n-RestartSec=1s\\x1b[2J\n+RestartSec=10s\n')
    expect(shown).to.contain('1 file is as it should be.')
  })

  it('writes nothing over what has changed since it was shown', async () => {
    const {units} = await planUnits(request(), 'daemon')
    mkdirSync(dirname(place()), {recursive: true})
    writeFileSync(place(), 'mine')
    expect(() => writeUnits(units))
      .to.throw('has changed since')
      .with.property('code', 'declined')
    expect(readFileSync(place(), 'utf8')).to.equal('mine')
    expect(readdirSync(prefix + '/etc')).to.deep.equal(['systemd'])
  })

  it('leaves a masked unit alone', async () => {
    mkdirSync(dirname(place()), {recursive: true})
    symlinkSync('/dev/null', place())
    const error = await rejection(planUnits(request(), 'daemon'))
    expect(error).to.have.property('hint').that.contains('unmask')
  })

  it('refuses a program or settings that the unit could not see, and says why', async () => {
    const wrong = [
      {program: '/root/.nvm/versions/node/bin/felhom'},
      {program: '/home/anna/felhom/bin/run.js'},
      {program: 'felhom'},
      {config: '/home/anna/felhom.yaml'},
      {config: '/etc/felhom/a.yaml\nExecStartPre=/bin/true'},
    ]
    for (const change of wrong) {
      const error = await rejection(planUnits(request(change), 'daemon'))
      expect(error, JSON.stringify(change)).to.include({code: 'usage'})
      expect(error).to.have.property('doubt', 'Nothing was written.')
    }
  })

  it('takes token, state, outcomes and times from the settings', async () => {
    settle(
      'token: {file: /etc/felhom/token}\nstate: /srv/felhom\ndaemon: {outcomes: /srv/out, stop_timeout: 5m}\n',
    )
    const {facts} = await planUnits(request(), 'daemon')
    expect(facts).to.include({credential: undefined, stopTimeoutMs: 300_000})
    expect(facts.writable).to.deep.equal(['/srv/felhom', '/srv/out'])
    expect(facts.outcomes).to.equal('/srv/out')
    expect((await planUnits(request(), 'daemon')).missingCredential).to.equal(undefined)
    settle('token: {credential: pve}\nstate: /var/lib/felhom\ndaemon: {outcomes: /var/lib/felhom/out}\n')
    expect((await planUnits(request(), 'daemon')).facts).to.deep.include({credential: 'pve', writable: []})
  })

  it('refuses settings that keep the state beside them, where the unit may not write', async () => {
    settle('endpoint: https://pve1.example:8006\n')
    const error = await rejection(planUnits(request(), 'daemon'))
    expect(error).to.have.property('message').that.contains('/etc/felhom/.felhom')
    expect(error).to.have.property('hint').that.contains('state: /var/lib/felhom')
  })

  it('refuses outcomes where the unit sees nothing, and so would nobody see them', async () => {
    for (const dir of ['/home/anna', '/root', '/run/user/0', '/tmp', '/var/tmp']) {
      settle(`state: /var/lib/felhom\ndaemon: {outcomes: ${dir}/outcomes}\n`)
      const error = await rejection(planUnits(request(), 'daemon'))
      expect(error).to.have.property('message').that.contains(`outcomes of signed jobs in ${dir}/outcomes`)
      expect(error).to.have.property('doubt', 'Nothing was written.')
    }
  })

  it('writes no line of a unit that a path brings along', async () => {
    settle('state: "/srv/a\\nExecStartPre=/bin/true"\n')
    const error = await rejection(planUnits(request(), 'daemon'))
    expect(error).to.have.property('message').that.contains('/srv/a')
    expect(error).to.have.property('doubt', 'Nothing was written.')
  })

  it('warns of a directory that is not there, without which systemd starts nothing', async () => {
    settle('state: /srv/felhom\n')
    const {warnings} = await planUnits(request(), 'daemon')
    expect(warnings.join()).to.contain('install -d -m 700 -o felhom -g felhom /srv/felhom')
    mkdirSync(join(prefix, 'srv/felhom'), {recursive: true})
    expect((await planUnits(request(), 'daemon')).warnings).to.deep.equal([])
  })

  it('has the directory of the outcomes made for the group to look into, and no other', async () => {
    settle('state: /srv/felhom\ndaemon: {outcomes: /srv/out}\n')
    const advice = (await planUnits(request(), 'daemon')).warnings.join()
    expect(advice).to.contain('-m 700 -o felhom -g felhom /srv/felhom')
    expect(advice).to.contain('-m 750 -o felhom -g felhom /srv/out')
    settle('state: /srv/felhom\ndaemon: {outcomes: /srv/felhom}\n')
    expect((await planUnits(request(), 'daemon')).warnings.join()).not.to.contain('-m 750')
  })

  it('warns of what a source is read with, where the unit cannot see it', async () => {
    const unseen = async (desired: string): Promise<string> => {
      settle(`state: /var/lib/felhom\ndesired: ${desired}\n`)
      return (await planUnits(request(), 'daemon')).warnings.join()
    }
    expect(await unseen('{https: "https://hub.example/", ca: /root/ca.pem, token: /home/anna/token}'))
      .to.contain('/root/ca.pem')
      .and.contain('/home/anna/token')
    expect(await unseen('{git: /home/anna/homelab.git}')).to.contain('/home/anna/homelab.git')
    expect(await unseen('{git: "file:///root/homelab.git"}')).to.contain('/root/homelab.git')
    expect(await unseen('{git: "https://git.example/root/homelab.git"}')).to.equal('')
  })

  it('warns of files that the unit cannot see, and of two ways at once', async () => {
    settle('state: /var/lib/felhom\ndesired: /home/anna/guests\n')
    expect((await planUnits(request(), 'daemon')).warnings.join()).to.contain('/home/anna/guests')
    writeUnits((await planUnits(request(), 'daemon')).units)
    const {warnings, units} = await planUnits(request(), 'timer')
    expect(warnings.join()).to.contain('disable --now felhom.service')
    expect(units.map(({path}) => path)).to.include('/etc/systemd/system/felhom-once.timer')
  })
})

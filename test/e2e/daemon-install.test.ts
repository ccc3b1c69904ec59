// `felhom daemon install`: nothing is written that was not shown and approved.
import {existsSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect} from 'chai'
import {inScratch, runFelhom} from '../support/felhom.ts'
import {PluginLab} from '../support/plugin-lab.ts'

describe('felhom daemon install', () => {
  const install = (prefix: string, ...args: string[]): ReturnType<typeof runFelhom> =>
    runFelhom(['daemon', 'install', '--prefix', prefix, '--program', '/usr/bin/felhom', ...args])

  it('shows and writes nothing with --dry-run, and asks in vain without a terminal', () =>
    inScratch(async (dir) => {
      const dry = await install(dir, '--dry-run')
      expect(dry.code, dry.stderr).to.equal(0)
      expect(dry.stdout).to.contain('+ExecStart=/usr/bin/felhom daemon --config /etc/felhom/felhom.yaml\n')
      const asked = await install(dir)
      expect(asked.code).to.equal(64)
      expect(asked.stderr).to.contain('no terminal').and.contain('--auto-approve')
      expect(existsSync(join(dir, 'etc'))).to.equal(false)
    }))

  it('writes with --auto-approve, says what comes next, and has nothing to do again', () =>
    inScratch(async (dir) => {
      const {code, stdout, stderr} = await install(dir, '--auto-approve')
      expect(code, stderr).to.equal(0)
      expect(stdout)
        .to.contain('systemctl daemon-reload')
        .and.contain('systemctl enable --now felhom.service')
      const unit = join(dir, 'etc/systemd/system/felhom.service')
      expect(readFileSync(unit, 'utf8')).to.contain('\nWatchdogSec=')
      const again = await install(dir, '--json')
      const {result} = JSON.parse(again.stdout) as {result: {files: {path: string; state: string}[]}}
      expect(result.files.map(({state}) => state)).to.deep.equal(['same', 'same'])
      expect(result.files.map(({path}) => path)).to.include(unit)
    }))

  it('refuses a program that the hardened unit could not see', () =>
    inScratch(async (dir) => {
      const args = [
        'daemon',
        'install',
        '--prefix',
        dir,
        '--program',
        '/home/anna/bin/felhom',
        '--auto-approve',
      ]
      const {code, stderr} = await runFelhom(args)
      expect(code).to.equal(64)
      expect(stderr).to.contain('/home/anna/bin/felhom is below /home').and.contain('Nothing was written.')
      expect(existsSync(join(dir, 'etc'))).to.equal(false)
    }))

  it('writes units beside a plugin that the daemon may not load, and beside a broken one', async () => {
    const lab = new PluginLab()
    try {
      lab.place('felhom-plugin-x', {'register.js': 'export default () => { throw new Error("no luck") }'})
      lab.list('felhom-plugin-x', 'felhom-plugin-gone')
      const args = ['--dry-run', '--prefix', lab.at('root'), '--program', '/usr/bin/felhom']
      const {code, stdout, stderr} = await lab.felhom(['daemon', 'install', ...args])
      expect(code, stderr).to.equal(0)
      expect(stdout).to.contain('+ExecStart=/usr/bin/felhom daemon')
    } finally {
      lab.close()
    }
  })
})

// docs/plugins.md, followed to the letter: every command of it is run, in the order of the page.
import {execFile} from 'node:child_process'
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {promisify} from 'node:util'
import {expect} from 'chai'
import {BIN, bareEnvironment} from '../support/felhom.ts'
import {PluginLab} from '../support/plugin-lab.ts'
import {startSandboxProcess} from '../support/sandbox-process.ts'

const PAGE = readFileSync(new URL('../../docs/plugins.md', import.meta.url), 'utf8')

describe('the guide to plugins', function () {
  this.timeout(120_000)

  it('leads from an empty folder to a provider that is tested, installed, at work and gone again', async () => {
    const lab = new PluginLab()
    const sandbox = await startSandboxProcess()
    try {
      mkdirSync(lab.at('bin'))
      const start = `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`
      writeFileSync(lab.at('bin/felhom'), start, {mode: 0o755})
      const script = [...PAGE.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('')
      const PATH = `${lab.at('bin')}:${process.env['PATH'] ?? ''}`
      const env = bareEnvironment({...sandbox.env, ...lab.env, PATH, FELHOM_STATE: lab.at('state')})
      const {stdout} = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
        cwd: lab.dir,
        env,
      })
      expect(stdout).to.match(/Installed felhom-plugin-inventory 1\.0\.0: extensions\./)
      expect(stdout).to.contain('memory = 512MiB -> 1GiB').and.contain('No changes.')
      expect(stdout).to.match(/Removed felhom-plugin-inventory\.\nNo plugin is installed\.\n$/)
    } finally {
      await sandbox.stop()
      lab.close()
    }
  })

  it('shows no code that is not run', () => {
    expect(
      [...PAGE.matchAll(/^```(\w*)$/gm)].map(([, language]) => language).filter((one) => one !== ''),
    ).to.satisfy((languages: string[]) => languages.length > 0 && languages.every((one) => one === 'sh'))
  })
})

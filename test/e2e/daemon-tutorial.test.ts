// docs/daemon.md, followed to the letter by root on a machine with systemd: every command of it is run, in the order
// of the page, under a real systemd that enforces what the unit says.
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {BootedSystemd, type InsideRun} from '../support/booted-systemd.ts'

const PAGE = readFileSync(new URL('../../docs/daemon.md', import.meta.url), 'utf8')

/** The commands below each heading. */
function stepsOf(page: string): {title: string; script: string}[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.split('\n')[0] ?? '',
      script: [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join(''),
    }))
    .filter(({script}) => script !== '')
}

describe('the tutorial of the daemon', function () {
  this.timeout(180_000)
  let systemd: BootedSystemd | undefined
  before(async () => {
    systemd = await BootedSystemd.boot()
  })
  after(() => systemd?.close())

  it('leads from nothing to a hardened daemon that observes, then acts, and can be told to wait', async function () {
    // Nothing of this can be tried where no systemd may be booted.
    if (!systemd) return this.skip()
    const inside = systemd
    const said = new Map<string, string>()
    for (const {title, script} of stepsOf(PAGE)) {
      const setting = title.startsWith('1.')
        ? ''
        : 'cd /etc/felhom; export CREDENTIALS_DIRECTORY=/etc/felhom\n'
      const run = await inside.run(bounded(`${setting}${script}`))
      expect(run.code, await explain(inside, title, run)).to.equal(0)
      said.set(title.slice(0, 1), run.stdout)
    }
    expect(said.get('2')).to.contain('Nothing to mend.').and.contain('memory = 512MiB -> 1GiB')
    expect(said.get('4')).to.contain(
      '+ExecStart=/usr/bin/node /usr/lib/node_modules/felhom/bin/run.js daemon',
    )
    expect(said.get('4')).to.match(/exposure level for felhom\.service: (?:0\.\d|1\.[0-5]) OK/)
    expect(said.get('4'), 'doctor before the start').to.match(/ok {4}systemd unit .*Nothing to mend/s)
    expect(said.get('5')).to.match(/StatusText=pass \d+: 1 with drift/)
    expect(said.get('5')).to.contain('felhom_guests{state="drifted"} 1')
    expect(said.get('6')).to.contain('No changes.').and.contain('lxc/101')
    expect(said.get('7')).to.contain('Nothing is in flight.')
    expect(said.get('8')).to.contain('+OnUnitInactiveSec=3s').and.contain('Result=success')
  })
})

/** As a script of its own; a condition that does not come true is not waited for until the test is killed. */
const bounded = (script: string): string =>
  `cat > /run/step.sh <<'STEP'\n${script}STEP\nexec timeout 60 bash -euo pipefail /run/step.sh`

async function explain(systemd: BootedSystemd, title: string, run: InsideRun): Promise<string> {
  const {stdout} = await systemd.run(
    'journalctl --no-pager --output=cat -u felhom -n 30; systemctl status --no-pager felhom; cat /run/felhom-hook.log',
  )
  return `${title}\n${run.stdout}\n${run.stderr}\n--- the service ---\n${stdout}`
}

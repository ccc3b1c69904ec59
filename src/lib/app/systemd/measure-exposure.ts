// How much of the system a unit is exposed to, as `systemd-analyze security` weighs it: 0 is nothing, 10 is all.
import {execFile} from 'node:child_process'

/** undefined: the program is missing or could not tell. */
export function measureExposure(unit: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const args = ['security', '--offline=yes', '--no-pager', unit]
    const options = {timeout: 20_000, env: {...process.env, LC_ALL: 'C', SYSTEMD_COLORS: '0'}}
    execFile('systemd-analyze', args, options, (_error, stdout) => {
      const [, text] = /Overall exposure level for \S+: (\d+(?:\.\d+)?) /.exec(stdout) ?? []
      resolve(text === undefined ? undefined : Number(text))
    })
  })
}

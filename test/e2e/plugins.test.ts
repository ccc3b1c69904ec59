// The examples as an operator has them: packed, installed, and loaded by the built program.
import {execFile} from 'node:child_process'
import {existsSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {expect} from 'chai'
import type {Run} from '../support/felhom.ts'
import {GateLab, said} from '../support/gate-lab.ts'
import {PluginLab} from '../support/plugin-lab.ts'

const CSV = 'felhom-plugin-csv'
const PROD_STOP = 'felhom-plugin-prod-stop'
const DNS1 = '/nodes/pve1/lxc/101'

describe('installed plugins', function () {
  this.timeout(120_000)
  let lab: GateLab
  let plugins: PluginLab

  before(async () => {
    plugins = new PluginLab()
    const [csv, prodStop] = await Promise.all([plugins.pack(CSV), plugins.pack(PROD_STOP), startLab()])
    // Relative, as a person would name it.
    await plugins.install(csv.replace(plugins.dir, '.'))
    await plugins.install(prodStop)
  })
  after(async () => {
    plugins.close()
    await lab.stop()
  })

  async function startLab(): Promise<void> {
    lab = await GateLab.start()
    Object.assign(lab.sandbox.env, plugins.env)
  }

  async function expectCode(code: number, run: Promise<Run>): Promise<string> {
    const ended = await run
    expect(ended.code, said(ended)).to.equal(code)
    return said(ended)
  }

  const useCsv = (more = ''): void => {
    lab.write(
      'felhom.yaml',
      `felhom: 1\ndesired: {provider: csv, options: {file: guests.csv}}\nstate: state\n${more}`,
    )
  }

  const statusOf = async (): Promise<unknown> =>
    ((await lab.sandbox.call('GET', `${DNS1}/status/current`)) as {status: unknown}).status

  const stops = async (): Promise<number> =>
    Object.entries(await lab.sandbox.requests())
      .filter(([key]) => /^POST .*\/status\/(shutdown|stop|reboot)$/.test(key))
      .reduce((sum, [, count]) => sum + count, 0)

  it('pass the tests that they bring', async () => {
    for (const name of [CSV, PROD_STOP]) {
      const cwd = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
      const {stdout} = await promisify(execFile)(process.execPath, ['--test', '--test-reporter=tap'], {cwd})
      expect(stdout)
        .to.match(/^# fail 0$/m)
        .and.match(/^# pass [1-9]/m)
    }
  })

  it('are listed', async () => {
    expect(await expectCode(0, lab.felhom('plugins', 'list'))).to.match(
      /felhom-plugin-csv 1\.0\.0 extensions felhom-plugin-prod-stop 1\.0\.0 extensions/,
    )
  })

  it('plan and apply what a CSV file says, until there is nothing to do', async () => {
    await lab.renew()
    useCsv()
    lab.write(
      'guests.csv',
      'vmid,kind,hostname,memory,cores,tags,run\n101,lxc,dns1,768MiB,2,dns infra,running\n',
    )
    expect(await expectCode(0, lab.felhom('plan'))).to.match(/memory = 512MiB -> 768MiB/)
    await expectCode(0, lab.apply())
    expect(await expectCode(0, lab.felhom('plan', '--detailed-exitcode'))).to.contain('No changes')
    expect(await lab.sandbox.call('GET', `${DNS1}/config`)).to.include({memory: 768, cores: 2})
  })

  it('tell where a CSV file is wrong', async () => {
    useCsv()
    lab.write('guests.csv', 'vmid,kind\n101,lxc\nx,lxc\n')
    expect(await expectCode(6, lab.felhom('plan'))).to.contain('guests.csv:3: vmid is a number from 100 on')
  })

  it('demand a signature for stopping a guest tagged prod, which stops it once', async () => {
    await lab.renew()
    await lab.sandbox.call('PUT', `${DNS1}/config`, {tags: 'dns;prod'})
    lab.wish('{101: {kind: lxc, run: stopped}}')
    expect(await expectCode(0, lab.felhom('plan'))).to.match(/needs signature \(0\/1\)/)
    expect(await expectCode(3, lab.apply())).to.match(
      /the rule prod-stop of .*demands the signature of an operator/,
    )
    expect(await stops()).to.equal(0)

    const id = await lab.pendingId()
    expect(await expectCode(0, lab.felhom('gate', 'show', id))).to.match(/guest\.change.*shutdown/)
    await expectCode(0, lab.sign(id, 'alice', '--confirm', 'dns1'))
    await expectCode(0, lab.apply())
    expect({stops: await stops(), status: await statusOf()}).to.deep.equal({stops: 1, status: 'stopped'})

    await lab.sandbox.reset()
    await lab.sandbox.call('PUT', `${DNS1}/config`, {tags: 'dns;prod'})
    const [approval = ''] = lab.approvals()
    const {actions} = await lab.json('apply', '--auto-approve', '--approval', approval)
    expect(actions).to.have.nested.property('0.refusal', 'replay')
    expect(await stops()).to.equal(0)
  })

  it('leave a guest without the tag to be stopped unsigned', async () => {
    await lab.renew()
    lab.wish('{101: {kind: lxc, run: stopped}}')
    await expectCode(0, lab.apply())
    expect(await stops()).to.equal(1)
  })

  it('are loaded by the daemon only if it may, and then keep to their rules', async () => {
    await lab.renew()
    await lab.sandbox.call('PUT', `${DNS1}/config`, {tags: 'dns;prod'})
    lab.write('guests.csv', 'vmid,kind,run,memory\n101,lxc,stopped,640MiB\n')
    const once = (): Promise<Run> => lab.felhom('daemon', '--once', '--mode', 'full')

    useCsv()
    expect(await expectCode(65, once()))
      .to.contain('no plugin brings the provider')
      .and.contain('plugins.allow')
    useCsv(`plugins: {allow: [${CSV}, ${PROD_STOP}]}\n`)
    const log = await expectCode(3, once())
    expect(log).to.match(/memory/)
    expect({stops: await stops(), status: await statusOf()}).to.deep.equal({stops: 0, status: 'running'})
    useCsv(`plugins: {allow: [${CSV}]}\n`)
    await expectCode(0, once())
    expect({stops: await stops(), status: await statusOf()}).to.deep.equal({stops: 1, status: 'stopped'})
    useCsv(`plugins: {allow: [${CSV}, felhom-plugin-away]}\n`)
    expect(await expectCode(65, once())).to.contain('felhom-plugin-away cannot be used')
  })

  it('are gone when they are removed, and fail closed where they are named', async () => {
    useCsv()
    await expectCode(0, lab.felhom('plugins', 'remove', CSV))
    expect(existsSync(plugins.at('data/node_modules', CSV))).to.equal(false)
    expect(await expectCode(65, lab.felhom('plan'))).to.contain('no plugin brings the provider "csv"')
    expect(await expectCode(64, lab.felhom('plugins', 'remove', CSV))).to.contain(`there is no plugin ${CSV}`)
  })
})

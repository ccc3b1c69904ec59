// The way back of a run beside plugins: what is shown of it beforehand is what the gate would say, and a provider is
// asked whether it still wants what is undone.
import {expect} from 'chai'
import type {Run} from '../support/felhom.ts'
import {PluginLab} from '../support/plugin-lab.ts'
import {expectCode, NAME} from '../support/plugin-stage.ts'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'

const PROVIDER = `providers: {one: () => [{name: 'one', content: {felhom: 1, guests: {101: {kind: 'lxc', run: 'stopped'}}}}]}`

describe('an undo beside a plugin', function () {
  this.timeout(120_000)
  let sandbox: SandboxProcess
  let lab: PluginLab

  before(async () => {
    sandbox = await startSandboxProcess()
    lab = new PluginLab()
    lab.list(NAME)
    lab.write('felhom.yaml', 'felhom: 1\ndesired: {provider: one}\nstate: state\n')
    bring('')
    await expectCode(0, felhom('apply', '--auto-approve'))
  })
  after(async () => {
    lab.close()
    await sandbox.stop()
  })

  function bring(more: string): void {
    const register = `register({name: '${NAME}', apiVersion: 1, ${PROVIDER}, ${more}})`
    lab.place(NAME, {'register.js': `export default ({register}) => ${register}\n`})
  }

  const felhom = (...args: string[]): Promise<Run> => lab.felhom(args, {env: sandbox.env})

  it('asks the provider whether it still wants what is undone', async () => {
    const told = 'The desired state still asks for what is undone (run of lxc/101)'
    expect(await expectCode(0, felhom('undo', '--dry-run'))).to.contain(told)
  })

  it('shows what its rule demands, and what it cannot weigh, before and when it is to be done', async () => {
    for (const [rule, told] of [
      [`'destructive'`, `the rule odd of the plugin ${NAME} demands the signature of an operator`],
      [`{ throw new Error('no luck') }`, `the rule odd of the plugin ${NAME} failed: no luck`],
    ] as const) {
      bring(`rules: {odd: () => ${rule}}`)
      expect(await expectCode(0, felhom('undo', '--dry-run'))).to.contain(told)
      expect(await expectCode(3, felhom('undo', '--auto-approve'))).to.contain(told)
    }
  })
})

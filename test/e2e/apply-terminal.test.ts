// `felhom apply` in a real terminal of 80 columns: the question, the progress, and Ctrl-C.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {join} from 'node:path'
import {expect} from 'chai'
import {ApplyLab} from '../support/apply-lab.ts'
import {BIN, bareEnvironment} from '../support/felhom.ts'
import {Terminal} from '../support/terminal.ts'

const START = '{150: {kind: lxc, run: running}}'
/** Both on one node: one after the other, so that something is left to start. */
const TWO = '{150: {kind: lxc, run: running}, 210: {kind: qemu, config: {tags: [new]}}}'

describe('felhom apply in a terminal', () => {
  let lab: ApplyLab
  before(async () => {
    lab = await ApplyLab.start()
  })
  after(() => lab.stop())
  beforeEach(() => lab.renew())

  const environment = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...lab.sandbox.env,
    FELHOM_STATE: join(lab.dir, '.felhom'),
    FELHOM_DESIRED: join(lab.dir, 'guests.yaml'),
    ...extra,
  })

  async function inTerminal<T>(
    args: string[],
    work: (terminal: Terminal) => Promise<T>,
    env: NodeJS.ProcessEnv = {},
  ): Promise<T> {
    const terminal = await Terminal.open(['apply', ...args], environment(env))
    try {
      return await work(terminal)
    } finally {
      await terminal.close()
    }
  }

  const type = async (terminal: Terminal, text: string): Promise<void> => {
    await terminal.press(text)
    await terminal.press('Enter')
  }

  function expectFits(text: string): void {
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(80)
  }

  it('carries out the plan after a typed yes, and reports', async () => {
    lab.wish(START)
    await inTerminal([], async (terminal) => {
      const asked = await terminal.readWhen(/Only 'yes' is taken as a yes:/)
      expect(asked).to.contain('run = stopped -> running').and.contain('Carry out this action?')
      await type(terminal, 'yes')
      expect(await terminal.exitCode()).to.equal(0)
      const text = await terminal.read()
      expectFits(text)
      expect(text).to.contain('lxc/150 wiki: started').and.contain('Apply complete: 1 started.')
      expect(text, 'what ran is gone from the screen').to.not.match(/^ {2}lxc\/150 wiki +starting/m)
    })
  })

  for (const answer of ['no', 'y', 'YES please', '']) {
    it(`takes ${JSON.stringify(answer)} for a no`, async () => {
      lab.wish(START)
      await inTerminal([], async (terminal) => {
        await terminal.readWhen(/Only 'yes'/)
        await type(terminal, answer)
        expect(await terminal.exitCode()).to.equal(64)
        expect(await terminal.read()).to.contain('Nothing was changed.')
      })
      expect(await lab.mutations()).to.deep.equal([])
    })
  }

  it('takes the end of input for a no, and Ctrl-C for the end', async () => {
    lab.wish(START)
    for (const [key, code] of [
      ['C-d', 64],
      ['C-c', 130],
    ] as const) {
      await inTerminal([], async (terminal) => {
        await terminal.readWhen(/Only 'yes'/)
        await terminal.press(key)
        expect(await terminal.exitCode()).to.equal(code)
        expect(await terminal.read()).to.contain('Nothing was changed.')
      })
    }
    expect(await lab.mutations()).to.deep.equal([])
  })

  it('shows what runs, for how long, and in colour', async () => {
    await lab.sandbox.control({startDelaySeconds: 3})
    lab.wish(START)
    await inTerminal(['--auto-approve'], async (terminal) => {
      const running = await terminal.readWhen(/^ {2}lxc\/150 wiki +starting +2s +vzstart on pve2$/m)
      expectFits(running)
      expect(running.match(/starting/g), 'one line, drawn again and again').to.have.lengthOf(1)
      expect(await terminal.exitCode()).to.equal(0)
      expect(await terminal.read()).to.match(/^lxc\/150 wiki: started \([34]s\)$/m)
      expect(await terminal.read({colour: true})).to.match(/\u001b\[32mstarted/)
    })
  })

  it('is as plain as NO_COLOR asks', async () => {
    lab.wish(START)
    await inTerminal(
      ['--auto-approve'],
      async (terminal) => {
        await terminal.exitCode()
        expect(await terminal.read({colour: true})).to.equal(await terminal.read())
      },
      {NO_COLOR: '1'},
    )
  })

  it('waits for what runs after one Ctrl-C, starts nothing new, and exits with 130', async () => {
    await lab.sandbox.control({startDelaySeconds: 3})
    lab.wish(TWO)
    await inTerminal(['--auto-approve', '--parallelism', '1'], async (terminal) => {
      await terminal.readWhen(/vzstart on pve2/)
      await terminal.press('C-c')
      const told = await terminal.readWhen(/Stopping: nothing new is started\./)
      expectFits(told)
      expect(told.replaceAll(/\s+/g, ' ')).to.contain(
        'Waiting for 1 running task. Press Ctrl-C again to leave it running.',
      )
      expect(await terminal.exitCode()).to.equal(130)
      const text = await terminal.read()
      expect(text).to.match(/^lxc\/150 wiki: started/m)
      expect(text).to.match(/^stopped +qemu\/210 k3s1 +change tags: not started$/m)
      expect(text).to.contain('Apply stopped: 1 started; 1 not started.')
    })
    expect(await lab.status('lxc', 150, 'pve2')).to.equal('running')
    expect((await lab.felhom(['journal', 'inflight'])).code).to.equal(0)
  })

  it('leaves what runs at a second Ctrl-C, and recover settles it', async () => {
    await lab.sandbox.control({startDelaySeconds: 4})
    lab.wish(START)
    await inTerminal(['--auto-approve'], async (terminal) => {
      await terminal.readWhen(/vzstart on pve2/)
      await terminal.press('C-c')
      await terminal.readWhen(/Stopping/)
      await terminal.press('C-c')
      expect(await terminal.exitCode()).to.equal(130)
      const text = await terminal.read()
      expectFits(text)
      expect(text).to.contain('Left 1 operation running.').and.contain('felhom recover')
    })
    const inflight = await lab.felhom(['journal', 'inflight'])
    expect(inflight.code, inflight.stdout).to.equal(5)
    expect(inflight.stdout).to.contain('lxc/150')
    const recovered = await lab.felhom(['recover'])
    expect(recovered.code, recovered.stdout + recovered.stderr).to.equal(0)
    expect(await lab.status('lxc', 150, 'pve2')).to.equal('running')
  })

  it('takes SIGTERM as it takes the first Ctrl-C', async () => {
    await lab.sandbox.control({startDelaySeconds: 3})
    lab.wish(START)
    const child = spawn(process.execPath, [BIN, 'apply', '--auto-approve'], {
      env: bareEnvironment(environment()),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
      if (stderr.includes('vzstart') && !stderr.includes('Stopping')) child.kill('SIGTERM')
    })
    const [code] = (await once(child, 'close')) as [number | null]
    expect(code, 'nothing was left to start').to.equal(0)
    expect(stderr).to.contain('Stopping').and.contain('lxc/150 wiki: started')
  })
})

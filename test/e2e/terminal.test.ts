// What a person sees: felhom in a real terminal of 80 columns.
import {existsSync} from 'node:fs'
import {dirname} from 'node:path'
import {expect} from 'chai'
import {startSandboxProcess, type SandboxProcess} from '../support/sandbox-process.ts'
import {RECORDED_SEED} from '../support/seed-file.ts'
import {Terminal} from '../support/terminal.ts'

async function inTerminal<T>(
  args: string[],
  env: NodeJS.ProcessEnv,
  work: (terminal: Terminal) => Promise<T>,
): Promise<T> {
  const terminal = await Terminal.open(args, env)
  try {
    return await work(terminal)
  } finally {
    await terminal.close()
  }
}

interface Seen {
  text: string
  colour: string
  code: number
}

const look = (args: string[], env: NodeJS.ProcessEnv): Promise<Seen> =>
  inTerminal(args, env, async (terminal) => {
    const code = await terminal.exitCode()
    return {code, text: await terminal.read(), colour: await terminal.read({colour: true})}
  })

function expectFits(text: string): void {
  for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(80)
}

describe('felhom in a terminal of 80 columns', () => {
  let homelab: SandboxProcess
  before(async () => {
    homelab = await startSandboxProcess()
  })
  after(() => homelab.stop())

  it('lists the guests of the example homelab in colour, each on one line', async () => {
    const {text, colour, code} = await look(['guests'], homelab.env)
    expect(code).to.equal(0)
    expectFits(text)
    expect(text).to.match(/^KIND {2}VMID {2}NAME /)
    expect(text).to.match(/^qemu +210 +k3s1 .* \+\d more$/m)
    expect(colour).to.match(/\u001b\[32mrunning/)
  })

  it('shows the findings of the doctor in colour, within the width', async () => {
    const env = {...homelab.env, FELHOM_TOKEN: homelab.tokens.ro}
    const {text, colour, code} = await look(['doctor', '--for', 'apply'], env)
    expect(code).to.equal(9)
    expectFits(text)
    expect(text).to.contain('One thing to mend.')
    expect(colour)
      .to.match(/\u001b\[32mok/)
      .and.match(/\u001b\[31mMEND/)
  })

  it('is as plain as NO_COLOR asks', async () => {
    const {text, colour} = await look(['guests'], {...homelab.env, NO_COLOR: '1'})
    expect(colour).to.equal(text)
  })

  it('shows an error within the width, in colour', async () => {
    const {text, colour, code} = await look(['guests'], {...homelab.env, FELHOM_TOKEN: undefined})
    expect(code).to.equal(64)
    expectFits(text)
    expect(colour).to.match(/^\u001b\[31mError:/)
  })

  it('tells how to use the sandbox, in lines to copy, and ends it on Ctrl-C', () =>
    inTerminal(['sandbox', '--port', '0', '--seed', RECORDED_SEED], {}, async (terminal) => {
      const text = await terminal.readWhen(/Ctrl-C/)
      const exported = (name: string): string => {
        const value = new RegExp(String.raw`^ {2}export ${name}=(?:'([^']+)'|(\S+))$`, 'm').exec(text)
        return value?.[1] ?? value?.[2] ?? ''
      }
      expect(text).to.contain('6 guests on 1 node')
      expectFits(text)
      expect(exported('FELHOM_TOKEN')).to.equal('root@pam!felhom=11111111-2222-3333-4444-555555555555')
      const caFile = exported('FELHOM_TLS__CA')
      expect(existsSync(caFile)).to.equal(true)
      const env = {
        FELHOM_ENDPOINT: exported('FELHOM_ENDPOINT'),
        FELHOM_TLS__CA: caFile,
        FELHOM_TOKEN: exported('FELHOM_TOKEN'),
      }
      expect((await look(['guests'], env)).code).to.equal(0)

      await terminal.press('C-c')
      expect(await terminal.exitCode()).to.equal(0)
      expect(existsSync(dirname(caFile))).to.equal(false)
      expect(await terminal.read()).to.not.match(/error|at .*\.js:\d/i)
    }))

  it('prints the line for scripts on a terminal too when asked for JSON', () =>
    inTerminal(['sandbox', '--port', '0', '--json', '--seed', RECORDED_SEED], {}, async (terminal) => {
      const text = await terminal.readWhen(/"pid":\d+\}/)
      expect(JSON.parse(text)).to.have.keys('url', 'caFile', 'fingerprint', 'tokens', 'pid')
      await terminal.press('C-c')
      expect(await terminal.exitCode()).to.equal(0)
    }))
})

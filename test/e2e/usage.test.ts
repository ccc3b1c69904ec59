// The command line itself: help and version, and felhom's own words for what it does not understand.
import {readFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {expect} from 'chai'
import {runFelhom, type Run} from '../support/felhom.ts'

const manifest = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../oclif.manifest.json', import.meta.url)), 'utf8'),
) as {commands: Record<string, {id: string; hidden?: boolean}>}

const COMMANDS = Object.keys(manifest.commands).map((id) => id.split(':'))

describe('the command line', () => {
  const MISTAKES: [name: string, args: string[], message: string][] = [
    [
      'a command that does not exist',
      ['gests'],
      "Error: there is no command 'gests'\n\nDid you mean: felhom guests\n",
    ],
    [
      'a command below a topic that does not exist',
      ['config', 'shw'],
      "Error: there is no command 'config shw'\n\nDid you mean: felhom config show\n",
    ],
    [
      'a word that is like no command',
      ['frobnicate'],
      "Error: there is no command 'frobnicate'\n\nfelhom --help lists the commands.\n",
    ],
    [
      'a flag that does not exist',
      ['guests', '--jsn'],
      'Error: Nonexistent flag: --jsn\n\nSee more with --help.\n',
    ],
    [
      'a flag without its value',
      ['sandbox', '--port'],
      'Error: Flag --port expects a value\n\nSee more with --help.\n',
    ],
    [
      'a number that is none',
      ['sandbox', '--port', 'abc'],
      'Error: --port: expected an integer but received: abc\n\nSee more with --help.\n',
    ],
    [
      'a number out of range',
      ['sandbox', '--port', '-1'],
      'Error: --port: expected an integer greater than or equal to 0 but received: -1\n\nSee more with --help.\n',
    ],
    [
      'a choice that is none',
      ['doctor', '--for', 'fun'],
      'Error: Expected --for=fun to be one of: read, apply\n\nSee more with --help.\n',
    ],
    [
      'help for a command that does not exist',
      ['help', 'frobnicate'],
      'Error: Command frobnicate not found.\n\nSee more with --help.\n',
    ],
    [
      'a flag that a command does not know',
      ['version', '--nope'],
      'Error: Nonexistent flag: --nope\n\nSee more with --help.\n',
    ],
  ]
  for (const [name, args, message] of MISTAKES) {
    it(`exits 64 on ${name}, in felhom's own words`, async () => {
      expect(await runFelhom(args)).to.deep.equal({code: 64, stdout: '', stderr: message})
    })
  }

  it('puts a usage error into one envelope under --json, found command or not', async () => {
    const runs = await Promise.all(
      [
        ['guests', '--json', '--nope'],
        ['doctor', '--for', 'fun', '--json'],
        ['gests', '--json'],
        ['config', 'shw', '--json'],
      ].map((args) => runFelhom(args)),
    )
    for (const {code, stdout, stderr} of runs) {
      expect({code, stderr}).to.deep.equal({code: 64, stderr: ''})
      const envelope = JSON.parse(stdout) as {error: {code: string}}
      expect(Object.keys(envelope)).to.deep.equal(['schemaVersion', 'ok', 'result', 'warnings', 'error'])
      expect(envelope).to.deep.include({schemaVersion: 1, ok: false, result: null, warnings: []})
      expect(envelope.error.code).to.equal('usage')
    }
  })

  it('shows the same help for no word, --help and help', async () => {
    const runs = await Promise.all([[], ['--help'], ['help']].map((args) => runFelhom(args)))
    for (const run of runs) expect(run).to.deep.include({code: 0, stderr: ''})
    expect(new Set(runs.map((r) => r.stdout)).size).to.equal(1)
    for (const [name = ''] of COMMANDS) expect(runs[0]?.stdout).to.match(new RegExp(`^ {2}${name} +\\S`, 'm'))
  })

  it('says its version for --version, -v and version', async () => {
    const runs = await Promise.all([['--version'], ['-v'], ['version']].map((args) => runFelhom(args)))
    for (const {code, stdout} of runs) {
      expect(code).to.equal(0)
      expect(stdout).to.match(/^felhom\/\d+\.\d+\.\d+ \S+ node-v\S+\n$/)
    }
  })

  it('has help for every command, each with an example, within 80 columns', async () => {
    const helps: Run[] = []
    // `help --help` is the help of felhom itself.
    const own = COMMANDS.filter(([word]) => word !== 'help')
    for (const words of [[], ...own]) helps.push(await runFelhom([...words, '--help']))
    for (const [i, {code, stdout, stderr}] of helps.entries()) {
      expect({code, stderr}).to.deep.equal({code: 0, stderr: ''})
      for (const line of stdout.split('\n')) expect(line.length, line).to.be.at.most(80)
      if (i > 0) expect(stdout).to.contain('EXAMPLES')
    }
    expect(helps.length).to.be.greaterThan(4)
  })
})

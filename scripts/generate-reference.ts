// Writes docs/reference/: the CLI reference from the built commands, the error codes, the settings and
// the classes of the gate from their tables. With --check it only compares, for the drift check of `npm test`.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {Config, Help, type Command} from '@oclif/core'
import {exitCodeOf} from '../src/lib/cli/exit-codes.ts'
import {ERROR_CODES, type ErrorCode} from '../src/lib/model/error-codes.ts'
import {definitions, variableOf} from '../src/lib/settings/definitions.ts'
import {renderGateClasses} from './render-gate-classes.ts'

process.env['NO_COLOR'] = '1'
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = `${root}/docs/reference`

class PlainHelp extends Help {
  renderCommand(command: Command.Loadable): string {
    return this.formatCommand(command)
  }
}

async function renderCommands(): Promise<string> {
  const config = await Config.load({root, devPlugins: false, userPlugins: false})
  const help = new PlainHelp(config, {stripAnsi: true, maxWidth: 80})
  const own = config.commands
    .filter((c) => c.pluginName === config.name)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const sections = own.map((command) => {
    const text = help.renderCommand(command).trimEnd()
    const title = command.id.replaceAll(':', ' ')
    return `## felhom ${title}\n\n\`\`\`\n${text.replaceAll(/[ \t]+$/gm, '')}\n\`\`\`\n`
  })
  return `# Commands\n\nGenerated from the commands themselves.\n\n${sections.join('\n')}`
}

/** What a script may conclude from it. */
const OK_WORDS =
  '`ok` says whether the command did what it was asked to do, and is false exactly where there is an `error`. `apply` and `undo` are `ok` only with exit code 0. A command that looks (`doctor`, `plan --detailed-exitcode`, `journal inflight`, `gate check`, `gate pending`) or adds one of several signatures (`gate sign`, `gate submit`, `gate trust`) is `ok` when it has done so: what it found is in `result`, and the exit code tells it in short.'

function renderErrors(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, meaning]) => `| \`${code}\` | ${String(exitCodeOf(code as ErrorCode))} | ${meaning} |`,
  )
  return `# Error codes\n\nUnder \`--json\` an error carries its code in \`error.code\`. Match on the code, never on the message.\n\n${OK_WORDS}\n\n| code | exit | meaning |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}

function renderSettings(): string {
  const rows = definitions.map(({key, default: value, summary}) => {
    const shown =
      value === undefined ? '' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
    return `| \`${key}\` | \`${variableOf(key)}\` | ${shown} | ${summary} |`
  })
  return `# Settings\n\nA flag wins over a variable, a variable over \`felhom.yaml\` in the project directory, that over \`felhom/felhom.yaml\` in the XDG config directory, that over \`/etc/felhom/felhom.yaml\`. A settings file begins with \`felhom: 1\`. Relative paths are relative to the file that names them.\n\n| key | variable | default | what it is |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

const pages = {
  'commands.md': await renderCommands(),
  'errors.md': renderErrors(),
  'settings.md': renderSettings(),
  'gate-classes.md': renderGateClasses(),
}

if (process.argv.includes('--check')) {
  for (const [name, text] of Object.entries(pages)) {
    if (readFileSync(`${folder}/${name}`, 'utf8') === text) continue
    console.error(`docs/reference/${name} is out of date: npm run build && npm run generate`)
    process.exitCode = 1
  }
} else {
  mkdirSync(folder, {recursive: true})
  for (const [name, text] of Object.entries(pages)) writeFileSync(`${folder}/${name}`, text)
}

// Writes docs/reference/options.md: every option that a desired-state file can hold, from the catalog.
// With --check it only compares, for the drift check of `npm test`.
import {readFileSync, writeFileSync} from 'node:fs'
import {listFamilies, type Option} from '../src/lib/catalog/option.ts'
import {GUEST_KINDS, type GuestKind} from '../src/lib/model/guest.ts'

const target = new URL('../docs/reference/options.md', import.meta.url)

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')
const code = (text: string): string => (text === '' ? '' : `\`${cell(text)}\``)

function describeType(option: Option): string {
  if (option.format)
    return `map: ${Object.keys(option.format)
      .slice(0, 40)
      .map((key) => `\`${key}\``)
      .join(', ')}`
  if (option.enum) return option.enum.map((word) => code(word)).join(', ')
  const limits = [option.minimum, option.maximum].some((n) => n !== undefined)
    ? ` ${String(option.minimum ?? '')}–${String(option.maximum ?? '')}`
    : ''
  const unit = option.unit === undefined ? '' : ` (${option.unit})`
  return `${option.listFormat === undefined ? option.type : 'list'}${limits}${unit}`
}

const IMPACTS = {live: 'live', restart: 'restart', mixed: 'depends on the change'}

function describePrivilege(option: Option): string {
  if (option.rootOnly === true) return 'root@pam only'
  return option.rootOnly === 'some'
    ? `${option.privilege}; some values root@pam only`
    : option.privilege.replaceAll('|', ' or ')
}

function renderRow(option: Option): string {
  const name = option.count === undefined ? option.name : option.family
  const where = option.isReadOnly
    ? 'read only'
    : option.aliasOf
      ? `write \`${option.aliasOf}\``
      : option.isDisk
        ? 'disks'
        : 'config'
  const impact = option.isReadOnly || option.aliasOf !== undefined ? '' : IMPACTS[option.impact]
  const gate = option.gate === 'destructive' && !option.isReadOnly ? 'some changes need a signature' : ''
  const fields = [
    code(name),
    where,
    describeType(option),
    code(String(option.default ?? '')),
    impact,
    cell(describePrivilege(option)),
    gate,
  ]
  return `| ${fields.join(' | ')} |`
}

const TITLES: Record<GuestKind, string> = {lxc: 'Containers (lxc)', qemu: 'Virtual machines (qemu)'}

function renderKind(kind: GuestKind): string {
  const rows = [...listFamilies(kind)].sort((a, b) => (a.name < b.name ? -1 : 1)).map(renderRow)
  return `## ${TITLES[kind]}\n\n| option | where | type | default | takes effect | privilege | gate |\n| --- | --- | --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

const text = `# Options

Every option of Proxmox VE 9.1 that a desired-state file can hold, under Proxmox's own name. \`[n]\` stands for a number: \`net[n]\` is \`net0\`, \`net1\`, … A \`map\` can also be written as Proxmox's own string.

${GUEST_KINDS.map(renderKind).join('\n')}`

if (!process.argv.includes('--check')) writeFileSync(target, text)
else if (readFileSync(target, 'utf8') !== text) {
  console.error('docs/reference/options.md is out of date: npm run generate')
  process.exitCode = 1
}

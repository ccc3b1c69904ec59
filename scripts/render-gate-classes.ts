// The page docs/reference/gate-classes.md: what needs a signature, from the table that the gate computes.
import {listOperationClasses, listOptionClasses, type ClassRow} from '../src/lib/gate/class-table.ts'

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`)

function renderRow({subject, when, class: gateClass, operation, why}: ClassRow): string {
  const signed = operation === undefined ? '' : `\`${operation}\``
  const need = gateClass === 'benign' ? '' : signed || 'none can allow it'
  return `| \`${cell(subject)}\` | ${cell(when)} | ${gateClass} | ${need} | ${cell(why)} |`
}

const renderTable = (rows: readonly ClassRow[]): string =>
  `| what | when | class | signature for | why |\n| --- | --- | --- | --- | --- |\n${rows.map(renderRow).join('\n')}\n`

export const renderGateClasses = (): string => `# What needs a signature

Benign changes pass the gate unsigned. A destructive one needs the signature of an operator for exactly the operation named here, or cannot be allowed at all. The gate decides from the live guest and from its own journal, never from what a plan, a tag or a description claims; what it does not know is destructive. A plugin can make a class stricter, never milder.

## Operations

${renderTable(listOperationClasses())}
On a guest of which the own journal proves that it was created in the same run, or as scratch, whatever could be signed for is benign.

## Options of containers (lxc)

${renderTable(listOptionClasses('lxc'))}
## Options of virtual machines (qemu)

${renderTable(listOptionClasses('qemu'))}`

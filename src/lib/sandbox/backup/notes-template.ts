// The notes of a backup: a template with {{variables}} and the escapes \n and \\.
import type {Cluster} from '../cluster.ts'
import type {Guest} from '../state.ts'

const known = new Set(['cluster', 'guestname', 'node', 'vmid'])

/** What is wrong with a template, or undefined. */
export function notesTemplateProblem(template: string): string | undefined {
  if (template.includes('\n')) return 'contains a line feed\n'
  const problems: string[] = []
  for (const match of template.matchAll(/\\(.)/g)) {
    const [, char = ''] = match
    if (char !== 'n' && char !== '\\')
      problems.push(`escape sequence '\\${char}' at char ${String(match.index)}`)
  }
  for (const match of template.matchAll(/\{\{([^\s{}]+)\}\}/g)) {
    const [, name = ''] = match
    if (!known.has(name)) problems.push(`variable '${name}' at char ${String(match.index + 4)}`)
  }
  return problems.length > 0 ? `found unknown: ${problems.join(', ')}\n` : undefined
}

export function renderNotes(cluster: Cluster, guest: Guest, template: string): string {
  const values: Record<string, string> = {
    cluster: cluster.state.clusterName ?? 'standalone node',
    guestname: guest.config['hostname'] ?? guest.config['name'] ?? `VM ${String(guest.vmid)}`,
    node: guest.node,
    vmid: String(guest.vmid),
  }
  return template
    .replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
    .replace(/\{\{(cluster|guestname|node|vmid)\}\}/g, (_, name: string) => values[name] ?? '')
}

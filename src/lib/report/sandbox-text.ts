// What a person at a terminal needs to use the sandbox, ready to copy.
import type {Palette} from './palette.ts'
import {plural} from './plural.ts'

export interface SandboxSummary {
  ready: {url: string; caFile: string; tokens: {full: string; ro: string}}
  guests: number
  nodes: number
}

export function renderSandboxReady({ready, guests, nodes}: SandboxSummary, palette: Palette): string {
  return `${palette.strong(`An embedded Proxmox with ${plural(guests, 'guest')} on ${plural(nodes, 'node')} listens on ${ready.url}`)}

In another terminal:

  export FELHOM_ENDPOINT=${ready.url}
  export FELHOM_TLS__CA=${ready.caFile}
  export FELHOM_TOKEN='${ready.tokens.full}'
  felhom guests

${palette.dim('A token that may only read:')} ${ready.tokens.ro}
${palette.dim('Ctrl-C ends it.')}`
}

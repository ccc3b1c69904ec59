// Bodies that are not JSON: pages for a browser and the file that a viewer of consoles reads.

const ENTITIES: Record<string, string> = {'<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;', "'": '&#39;'}

export const escapeHtml = (text: string): string =>
  text.replace(/[<>&"']|[^\n\r\t -~]/gu, (c) => ENTITIES[c] ?? `&#x${codeOf(c)};`)

const codeOf = (character: string): string => (character.codePointAt(0) ?? 0).toString(16).toUpperCase()

/** What an answer holds, for people who look at the API with a browser. */
export function writePage(body: Record<string, unknown>, status: number): string {
  const {message, ...rest} = body
  const alert =
    status === 200 ? '' : `<div class="alert">Error ${String(status)}: ${escapeHtml(String(message))}</div>`
  return pageOf(`${alert}<pre>${escapeHtml(JSON.stringify(rest, null, 3))}</pre>`)
}

/** The page that the web server has at `/`, where the original has its user interface. */
export const startPage = (): string => pageOf('<p>This server has an API only.</p>')

const pageOf = (content: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Proxmox VE API</title></head>\n` +
  `<body>${content}</body>\n</html>\n`

export function writeViewerFile(data: unknown): string {
  if (data === null || typeof data !== 'object') return ''
  const lines = Object.entries(data).filter(([, value]) => value !== null && value !== undefined)
  return `[virt-viewer]\n${lines.map(([key, value]) => `${key}=${String(value)}\n`).join('')}`
}

// Just enough XML to judge a report by: elements, attributes, text and the five entities. It refuses what is not
// well formed.

export interface XmlElement {
  name: string
  attributes: Record<string, string>
  children: XmlElement[]
  text: string
}

const TOKEN = /<\?[^>]*\?>|<(\/?)([\w-]+)((?:\s+[\w-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/gy
const ENTITY: Record<string, string> = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'"}

export function parseXml(xml: string): XmlElement {
  const root: XmlElement = {name: '', attributes: {}, children: [], text: ''}
  const open = [root]
  let end = 0
  for (const match of xml.matchAll(TOKEN)) {
    const [all, closing, name, attributes = '', empty, text] = match
    end = match.index + all.length
    const top = open.at(-1)!
    if (text !== undefined) top.text += decode(text)
    else if (name === undefined) continue
    else if (closing === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes another element`)
    } else {
      const element = {name, attributes: readAttributes(attributes), children: [], text: ''}
      top.children.push(element)
      if (empty !== '/') open.push(element)
    }
  }
  if (end !== xml.length) throw new Error(`not well formed: ${xml.slice(end, end + 40)}`)
  if (open.length !== 1 || root.children.length !== 1) throw new Error('not one root element')
  return root.children[0]!
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, decode(value)]),
  )
}

function decode(text: string): string {
  // What XML 1.0 has no way to hold.
  if (/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/.test(text)) throw new Error('a character that XML does not know')
  return text.replace(/&([^;]*;?)/g, (_, name: string) => {
    const character = ENTITY[name.replace(/;$/, '')]
    if (character === undefined || !name.endsWith(';')) throw new Error(`no entity: &${name}`)
    return character
  })
}

// Values with comments → YAML as a careful person would write it. Whatever the texts in them hold, reading the
// result gives the same values again, and nothing in it can act on a terminal that shows it.
import {Document, isCollection, Pair, Scalar, YAMLMap, YAMLSeq, type Node} from 'yaml'

/** Written on one line where it fits. */
export type PlainValue =
  string | number | boolean | null | readonly PlainValue[] | {readonly [key: string]: PlainValue}

export interface BlockEntry {
  readonly key: string | number
  readonly value: PlainValue | Block
  /** Behind the key of a block, behind the value of anything else. */
  readonly comment?: string
  /** An empty line before it. */
  readonly isApart?: boolean
}

/** A map with an entry to a line. */
export class Block {
  readonly entries: readonly BlockEntry[]
  /** Comments at its end, one to a line. */
  readonly notes: readonly string[]

  constructor(entries: readonly BlockEntry[], notes: readonly string[] = []) {
    this.entries = entries
    this.notes = notes
  }
}

export function writeYaml(root: Block, header: readonly string[] = []): string {
  const document = new Document()
  document.contents = blockNode(root)
  const text = document.toString({
    lineWidth: 0,
    flowCollectionPadding: false,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
  })
  const comment = header.map((line) => `#${toComment([line])}\n`).join('')
  return `${comment}${text}`.replace(UNSAFE, escapeCharacter)
}

/** What no text for people holds: left in, it would break the file or act on a terminal. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

const toComment = (lines: readonly string[]): string =>
  lines.map((line) => ` ${line.replaceAll(/\s+/g, ' ')}`).join('\n')

function blockNode({entries, notes}: Block): YAMLMap {
  const map = new YAMLMap()
  map.items = entries.map(entryPair)
  if (notes.length > 0) map.comment = toComment(notes)
  return map
}

function entryPair({key, value, comment, isApart}: BlockEntry): Pair {
  const name = typeof key === 'string' ? textNode(key) : new Scalar(key)
  const node = value instanceof Block ? blockNode(value) : plainNode(value)
  if (isApart) name.spaceBefore = true
  // Behind the last line of a collection that takes several, nobody would look for it.
  const isLong = isCollection(node) && node.flow !== true
  if (comment !== undefined) (isLong ? name : node).comment = toComment([comment])
  return new Pair(name, node)
}

type CommentedNode = Node & {comment?: string | null}

function plainNode(value: PlainValue): CommentedNode {
  if (typeof value === 'string') return textNode(value)
  if (typeof value !== 'object' || value === null) return new Scalar(value)
  const flow = fitsOnLine(value)
  const node = isList(value) ? new YAMLSeq() : new YAMLMap()
  node.flow = flow
  node.items = isList(value)
    ? value.map(plainNode)
    : Object.entries(value).map(([key, item]) => new Pair(textNode(key), plainNode(item)))
  return node
}

const isList = (value: PlainValue): value is readonly PlainValue[] => Array.isArray(value)

const LINE = 90

function fitsOnLine(value: object): boolean {
  const isEmpty = Object.keys(value).length === 0
  return isEmpty || JSON.stringify(value).length <= LINE
}

/** Plain to felhom, something else to readers of YAML 1.1, people among them. */
const AMBIGUOUS = /^(?:y|n|yes|no|on|off)$/i

function textNode(text: string): Scalar<string> {
  const node = new Scalar(text)
  if (text.search(UNSAFE) >= 0 || AMBIGUOUS.test(text)) node.type = Scalar.QUOTE_DOUBLE
  else if (text.includes('\n')) node.type = Scalar.BLOCK_LITERAL
  return node
}

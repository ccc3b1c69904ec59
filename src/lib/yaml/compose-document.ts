// The parser at work, held back: it gives up after so many mistakes instead of keeping each of millions.
import {Composer, Parser, type Document, type ParsedNode} from 'yaml'
import type {Diagnostic} from '../model/diagnostic.ts'

export interface Composed {
  contents: ParsedNode | null
  faults: {offset: number; what: Omit<Diagnostic, 'file'>}[]
}

type Fault = Composed['faults'][number]

export const MAX_FAULTS = 100

export function composeDocument(text: string): Composed {
  // Duplicate keys are found by toPlainValue, which does not take the square of their number.
  const composer = new Composer({uniqueKeys: false, strict: true, prettyErrors: false, schema: 'core'})
  const counter = new FaultCounter(composer)
  let first: Document.Parsed | undefined
  try {
    for (const document of composer.compose(counter.watch(new Parser().parse(text)), true, text.length)) {
      if (first) return {contents: null, faults: [severalDocuments(document)]}
      first = document
    }
  } catch (error) {
    if (error instanceof TooManyFaults) return {contents: null, faults: withoutEchoes(counter.faults)}
    throw error
  }
  return {
    contents: first?.contents ?? null,
    faults: withoutEchoes([...counter.faults, ...strayMarks(first), ...wrongVersion(first)]),
  }
}

class TooManyFaults extends Error {}

/** `Composer` reports through a handler of its own; in its place stands one that knows when to stop. */
class FaultCounter {
  readonly faults: Fault[] = []

  constructor(composer: Composer) {
    const handler = {
      onError: (source: FaultSource, code: string, message: string) => {
        this.#add(offsetOf(source), code, message)
      },
    }
    Object.assign(composer, handler)
  }

  /** The parser's own mistakes come as tokens. */
  *watch(tokens: ReturnType<Parser['parse']>): ReturnType<Parser['parse']> {
    for (const token of tokens) {
      if (token.type === 'error') this.#add(token.offset, 'UNEXPECTED_TOKEN', token.message)
      else yield token
    }
  }

  #add(offset: number, code: string, message: string): void {
    if (this.faults.length >= MAX_FAULTS) throw new TooManyFaults()
    this.faults.push({offset, what: describeFault(code, message)})
  }
}

/** Where the parser ran out of stack, all else that it says is a consequence. */
function withoutEchoes(faults: Fault[]): Fault[] {
  const deep = faults.find(({what}) => what.code === 'too_deep')
  return deep ? [deep] : faults
}

type FaultSource = number | readonly number[] | {offset: number}

function offsetOf(source: FaultSource): number {
  if (typeof source === 'number') return source
  return 'offset' in source ? source.offset : (source[0] ?? 0)
}

function describeFault(code: string, message: string): Fault['what'] {
  if (code === 'RESOURCE_EXHAUSTION') return {code: 'too_deep', message: 'nested too deeply'}
  return {code: 'yaml_syntax', message: message.split('\n', 1)[0] ?? message}
}

function severalDocuments(second: Document.Parsed): Fault {
  return {
    offset: second.range[0],
    what: {
      code: 'several_documents',
      message: 'a second YAML document begins here',
      expected: 'one document in a file; another one in a file of its own',
    },
  }
}

/** What the composer does not report but keeps, such as the end of a document that had no beginning. */
function strayMarks(document: Document.Parsed | undefined): Fault[] {
  return (document?.errors ?? [])
    .slice(0, MAX_FAULTS)
    .map(({pos, code, message}) => ({offset: pos[0], what: describeFault(code, message)}))
}

/** A text that says it is YAML 1.1 would read `no` as false and `010` as eight. */
function wrongVersion(document: Document.Parsed | undefined): Fault[] {
  const {explicit, version} = document?.directives.yaml ?? {}
  if (!explicit || version === '1.2') return []
  const message = `felhom reads YAML 1.2, and this text says that it is ${String(version)}`
  return [{offset: 0, what: {code: 'yaml_version', message, expected: 'no %YAML line'}}]
}

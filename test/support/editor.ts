// The language service behind YAML support in editors, with a schema for every file and no way to the network.
import {createRequire} from 'node:module'
import {getLanguageService, type LanguageService} from 'yaml-language-server'

type Document = Parameters<LanguageService['doValidation']>[0]

interface Documents {
  create(uri: string, language: string, version: number, text: string): Document
}

// The documents that the service works on come from a package that it depends on, not this project.
const service = createRequire(import.meta.url).resolve('yaml-language-server')
const {TextDocument} = createRequire(service)('vscode-languageserver-textdocument') as {
  TextDocument: Documents
}

export interface Complaint {
  line: number
  message: string
}

export class Editor {
  readonly #service: LanguageService

  constructor(schema: unknown) {
    this.#service = getLanguageService({
      schemaRequestService: (uri) => Promise.reject(new Error(`${uri} was asked for`)),
      workspaceContext: {resolveRelativePath: (path) => path},
    })
    this.#service.configure({
      validate: true,
      completion: true,
      hover: true,
      schemas: [{uri: 'file:///felhom.schema.json', fileMatch: ['*.yaml'], schema}],
    })
  }

  /** Lines count from 1. */
  async complaints(text: string): Promise<Complaint[]> {
    const found = await this.#service.doValidation(open(text), false)
    return found.map(({range, message}) => ({line: range.start.line + 1, message}))
  }

  /** What is proposed where `|` stands in the text. */
  async proposals(text: string): Promise<string[]> {
    const {document, position} = openAtBar(text)
    const {items} = await this.#service.doComplete(document, position, false)
    return items.map(({label}) => label)
  }

  /** What is shown for the word in front of which `|` stands. */
  async hover(text: string): Promise<string> {
    const {document, position} = openAtBar(text)
    const hover = await this.#service.doHover(document, position)
    return JSON.stringify(hover?.contents ?? '')
  }
}

let opened = 0

/** Each under a name of its own: the service remembers what it has parsed. */
const open = (text: string): Document =>
  TextDocument.create(`file:///guests-${++opened}.yaml`, 'yaml', 1, text)

function openAtBar(text: string): {document: Document; position: ReturnType<Document['positionAt']>} {
  const bar = text.indexOf('|')
  const document = open(text.slice(0, bar) + text.slice(bar + 1))
  return {document, position: document.positionAt(bar)}
}

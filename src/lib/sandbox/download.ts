// A file instead of an answer in a format: what a handler returns where Proxmox sends the file as it is.
import type {ApiAnswer} from './answer.ts'

export class Download {
  readonly text: string
  readonly name: string

  constructor(text: string, name: string) {
    this.text = text
    this.name = name
  }

  asAnswer(): ApiAnswer {
    const headers = {'Content-Disposition': `attachment; filename="${this.name}"`}
    return {status: 200, reason: 'OK', contentType: 'text/plain', text: this.text, headers, closes: true}
  }
}

// Listens as systemd does, for what the real systemd-notify sends. Node cannot read such sockets; Python can.
import {spawn, type ChildProcess} from 'node:child_process'
import {once} from 'node:events'
import {createInterface} from 'node:readline'
import {waitFor} from './wait-for.ts'

/** A barrier brings a descriptor along, which is closed by not being taken: so the sender goes on. */
const LISTENER = `
import json, os, socket, sys
name = sys.argv[1]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind('\\0' + name[1:] if name.startswith('@') else name)
print('listening', flush=True)
while True:
    print(json.dumps(s.recv(65536).decode()), flush=True)
`

export class NotifySocket {
  /** Each as it arrived, without barriers. */
  readonly messages: string[] = []
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** `name`: a path, or one of the abstract kind that begins with an `@`. */
  static async listen(name: string): Promise<NotifySocket> {
    const child = spawn('/usr/bin/python3', ['-c', LISTENER, name], {stdio: ['ignore', 'pipe', 'inherit']})
    const lines = createInterface({input: child.stdout})
    const socket = new NotifySocket(child)
    await once(lines, 'line')
    lines.on('line', (line) => {
      const text = JSON.parse(line) as string
      if (text !== 'BARRIER=1') socket.messages.push(text)
    })
    return socket
  }

  /** All fields so far, in their order. */
  fields(): string[] {
    return this.messages.flatMap((text) => text.split('\n')).filter((line) => line !== '')
  }

  async until(field: string): Promise<void> {
    await waitFor(() => Promise.resolve(this.fields().includes(field)))
  }

  async close(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'close')
  }
}

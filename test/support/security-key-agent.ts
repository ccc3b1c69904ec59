// An ssh-agent that holds security keys, so that the real ssh-keygen signs with them: the device behind it, which
// cannot be had here, is synthesised from its specification. It speaks what ssh-keygen asks for, and nothing more.
import {createServer, type Server, type Socket} from 'node:net'
import {once} from 'node:events'
import {wireString} from '../../src/lib/gate/ssh-wire.ts'
import type {ForgedKey} from './forge-keys.ts'
import {signBlob, uint32, type SigningChoice} from './sshsig-forge.ts'

const [FAILURE, LIST, LISTED, SIGN, SIGNED] = [5, 11, 12, 13, 14]

export class SecurityKeyAgent {
  readonly #keys: readonly ForgedKey[]
  readonly #server: Server
  /** What the device does: flags 1 is a touch, 4 a PIN. */
  choice: SigningChoice = {}
  /** How often it was asked to sign. */
  signatures = 0

  private constructor(keys: readonly ForgedKey[]) {
    this.#keys = keys
    this.#server = createServer((socket) => {
      this.#serve(socket)
    })
  }

  static async listen(socket: string, keys: readonly ForgedKey[]): Promise<SecurityKeyAgent> {
    const agent = new SecurityKeyAgent(keys)
    agent.#server.listen(socket)
    await once(agent.#server, 'listening')
    return agent
  }

  close(): void {
    this.#server.close()
  }

  #serve(socket: Socket): void {
    let received = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      while (received.length >= 4 && received.length >= 4 + received.readUInt32BE(0)) {
        const end = 4 + received.readUInt32BE(0)
        socket.write(wireString(this.#answer(received.subarray(4, end))))
        received = received.subarray(end)
      }
    })
  }

  #answer(message: Buffer): Buffer {
    const type = message[0]
    if (type === LIST) {
      const keys = this.#keys.flatMap(({blob}) => [wireString(blob), wireString('')])
      return Buffer.concat([Buffer.from([LISTED]), uint32(this.#keys.length), ...keys])
    }
    const [blob, data] = type === SIGN ? readStrings(message.subarray(1)) : []
    const key = this.#keys.find((one) => blob?.equals(one.blob))
    if (!key || !data) return Buffer.from([FAILURE])
    this.signatures++
    return Buffer.concat([Buffer.from([SIGNED]), wireString(signBlob(key, data, this.choice))])
  }
}

function readStrings(bytes: Buffer): Buffer[] {
  const strings: Buffer[] = []
  for (let at = 0; at + 4 < bytes.length;) {
    const end = at + 4 + bytes.readUInt32BE(at)
    strings.push(bytes.subarray(at + 4, end))
    at = end
  }
  return strings
}

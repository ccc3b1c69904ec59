// The guest agent: no guest of the sandbox runs one, so a call says why it cannot be reached.
import {die} from '../../pve-error.ts'
import {having, readMethod} from '../../schema/read-method.ts'
import {isUp, placeOf, requireVm} from './vm.ts'
import type {Call, Method, Route} from '../../call.ts'
import type {MethodSchema, Schema} from '../../schema/types.ts'

const PATH = '/nodes/{node}/qemu/{vmid}/agent'
const AUDIT = 'VM.GuestAgent.Audit'
const FILES = 'VM.GuestAgent.FileSystemMgmt'
const POWER = 'VM.PowerMgmt'
const UNRESTRICTED = 'VM.GuestAgent.Unrestricted'
const MAX_READ_BYTES = 16 * 1024 * 1024
const MAX_INPUT_BYTES = 64 * 1024
const MAX_WRITE_BYTES = 60 * 1024

type Properties = Record<string, Schema>

interface AgentCommand {
  method: Method
  /** One of them is enough, or the right to do anything. */
  privs: string[]
  properties?: Properties
}

const text: Schema = {type: 'string'}
const flag: Schema = {optional: 1, type: 'boolean'}

const plainCommands = (method: Method, priv: string, names: string): [string, AgentCommand][] =>
  names.split(' ').map((name) => [name, {method, privs: [priv]}])

/** Commands that need nothing but their name. */
const plain: Record<string, AgentCommand> = Object.fromEntries([
  ...plainCommands(
    'GET',
    AUDIT,
    'get-fsinfo get-host-name get-memory-block-info get-memory-blocks get-osinfo get-time get-timezone' +
      ' get-users get-vcpus info network-get-interfaces',
  ),
  ...plainCommands('POST', AUDIT, 'ping'),
  ...plainCommands('POST', FILES, 'fsfreeze-freeze fsfreeze-thaw fstrim'),
  ...plainCommands('POST', POWER, 'shutdown suspend-disk suspend-hybrid suspend-ram'),
  ['fsfreeze-status', {method: 'POST', privs: [AUDIT, FILES]}],
])

const commands: Record<string, AgentCommand> = {
  ...plain,
  exec: {
    method: 'POST',
    privs: [],
    properties: {
      command: {type: 'array', items: text},
      'input-data': {...text, maxLength: MAX_INPUT_BYTES, optional: 1},
    },
  },
  'exec-status': {method: 'GET', privs: [], properties: {pid: {type: 'integer'}}},
  'file-read': {
    method: 'GET',
    privs: ['VM.GuestAgent.FileRead'],
    properties: {
      count: {type: 'integer', minimum: 1, maximum: MAX_READ_BYTES, optional: 1},
      decode: flag,
      file: text,
      offset: {type: 'integer', minimum: 0, optional: 1},
    },
  },
  'file-write': {
    method: 'POST',
    privs: ['VM.GuestAgent.FileWrite'],
    properties: {content: {...text, maxLength: MAX_WRITE_BYTES}, encode: flag, file: text},
  },
  'set-user-password': {
    method: 'POST',
    privs: [],
    properties: {crypted: flag, password: {...text, minLength: 5, maxLength: 1024}, username: text},
  },
}

/** The old way: the command as a parameter. */
const anyCommand: AgentCommand = {
  method: 'POST',
  privs: [],
  properties: {command: {...text, enum: Object.keys(plain).sort()}},
}

function schemaOf({privs, properties = {}}: AgentCommand): MethodSchema {
  const permissions = having('/vms/{vmid}', ...privs, UNRESTRICTED)
  return {...readMethod(PATH, {permissions, onNode: true, properties}), protected: 1}
}

function unreachable(call: Call): never {
  const guest = requireVm(placeOf(call))
  if (guest.config['agent'] === undefined) die('No QEMU guest agent configured')
  if (!isUp(guest)) die(`VM ${String(guest.vmid)} is not running`)
  die('QEMU guest agent is not running')
}

const route = (path: string, command: AgentCommand): Route => ({
  method: command.method,
  path,
  schema: schemaOf(command),
  handler: unreachable,
})

const index = readMethod(PATH, {onNode: true})

export const agentRoutes: Route[] = [
  {
    method: 'GET',
    path: PATH,
    schema: {...index, parameters: {...index.parameters, additionalProperties: 1}},
    handler: () =>
      Object.keys(commands)
        .sort()
        .map((name) => ({name})),
  },
  route(PATH, anyCommand),
  ...Object.entries(commands).map(([name, command]) => route(`${PATH}/${name}`, command)),
]

// The guest agent: no guest of the sandbox runs one, so a call says why it cannot be reached.
import {requirePrivs} from '../../access/permissions.ts'
import {die} from '../../pve-error.ts'
import {isUp, placeOf, requireVm} from './vm.ts'
import {vmidOf, type Call, type Method, type Route} from '../../call.ts'

const PATH = '/nodes/{node}/qemu/{vmid}/agent'
const AUDIT = 'VM.GuestAgent.Audit'
const UNRESTRICTED = 'VM.GuestAgent.Unrestricted'
const FILES = 'VM.GuestAgent.FileSystemMgmt'

interface AgentCommand {
  method: Method
  /** One of them is enough. */
  privs: string[]
}

const audited = (method: Method): AgentCommand => ({method, privs: [AUDIT, UNRESTRICTED]})
const post = (priv: string): AgentCommand => ({
  method: 'POST',
  privs: priv === UNRESTRICTED ? [priv] : [priv, UNRESTRICTED],
})

const commands: Record<string, AgentCommand> = {
  ping: audited('POST'),
  'get-time': audited('GET'),
  info: audited('GET'),
  'fsfreeze-status': {method: 'POST', privs: [AUDIT, FILES, UNRESTRICTED]},
  'fsfreeze-freeze': post(FILES),
  'fsfreeze-thaw': post(FILES),
  fstrim: post(FILES),
  'network-get-interfaces': audited('GET'),
  'get-vcpus': audited('GET'),
  'get-fsinfo': audited('GET'),
  'get-memory-blocks': audited('GET'),
  'get-memory-block-info': audited('GET'),
  'suspend-hybrid': post('VM.PowerMgmt'),
  'suspend-ram': post('VM.PowerMgmt'),
  'suspend-disk': post('VM.PowerMgmt'),
  shutdown: post('VM.PowerMgmt'),
  'get-host-name': audited('GET'),
  'get-osinfo': audited('GET'),
  'get-users': audited('GET'),
  'get-timezone': audited('GET'),
  exec: post(UNRESTRICTED),
  'exec-status': {method: 'GET', privs: [UNRESTRICTED]},
  'file-read': {method: 'GET', privs: ['VM.GuestAgent.FileRead', UNRESTRICTED]},
  'file-write': post('VM.GuestAgent.FileWrite'),
  'set-user-password': post(UNRESTRICTED),
}

function unreachable(call: Call): never {
  const guest = requireVm(placeOf(call))
  if (guest.config['agent'] === undefined) die('No QEMU guest agent configured')
  if (!isUp(guest)) die(`VM ${String(guest.vmid)} is not running`)
  die('QEMU guest agent is not running')
}

const route = (name: string, {method, privs}: AgentCommand): Route => ({
  method,
  path: name === '' ? PATH : `${PATH}/${name}`,
  check: (call) => {
    requirePrivs(call, `/vms/${String(vmidOf(call))}`, privs, true)
  },
  handler: unreachable,
})

export const agentRoutes: Route[] = [
  {
    method: 'GET',
    path: PATH,
    check: () => undefined,
    handler: () =>
      Object.keys(commands)
        .sort()
        .map((name) => ({name})),
  },
  route('', post(UNRESTRICTED)),
  ...Object.entries(commands).map(([name, command]) => route(name, command)),
]

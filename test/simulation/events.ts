// Trouble that comes by itself while felhom works: others at the cluster, nodes and tasks that go away, clocks that
// are put right, power cuts. Each event is drawn, happens, and mends itself after a while.
import {formatSize} from '../../src/lib/sandbox/schema/sizes.ts'
import type {Guest} from '../../src/lib/sandbox/state.ts'
import type {Random} from './random.ts'
import {OUR_TOKEN} from './sim-proxmox.ts'
import type {StormyWeather, Trouble} from './weather.ts'
import type {World} from './world.ts'

export interface Scene {
  readonly world: World
  readonly weather: StormyWeather
  readonly random: Random
  /** Starts another instance of felhom beside the one that runs. */
  readonly startInstance: () => void
}

type Happen = (scene: Scene) => void | Promise<void>

const EVENTS: Partial<Record<Trouble, Happen>> = {
  crash: ({world}) => {
    world.trace(() => '  felhom: killed from outside')
    world.lock.holder?.kill('crash')
  },
  'power loss': ({world}) => {
    world.powerFails()
  },
  'disk full': async ({world, weather, random}) => {
    weather.isDiskFull = true
    await world.clock.sleep(random.between(100, 60_000))
    weather.isDiskFull = false
  },
  'Proxmox loses power': ({world, random}) => {
    world.trace(() => '  Proxmox: the power fails')
    world.proxmox.losePower(random.chance(0.5))
  },
  'task killed': ({world, random}) => {
    const tasks = world.proxmox.runningTasks()
    if (tasks.length > 0) world.proxmox.killTask(random.pick(tasks).upid)
  },
  'task lost': ({world, random}) => {
    const ended = world.proxmox.state.tasks.filter(({exitstatus}) => exitstatus !== undefined)
    if (ended.length > 0) random.pick(ended).lost = true
  },
  'node offline': async ({world, random}) => {
    const node = world.proxmox.state.nodes.find(({name}) => name === 'pve2')
    if (!node) return
    await setBack(world, random, 200_000, (isOn) => {
      const now = world.proxmox.state.nodes.find(({name}) => name === 'pve2')
      if (now) now.online = isOn
    })
  },
  'quorum lost': async ({world, random}) => {
    if (world.scenario.nodes.length < 2) return
    await setBack(world, random, 100_000, (isOn) => {
      world.proxmox.state.quorate = isOn
    })
  },
  'others change config': async ({world, random}) => {
    const guest = drawGuest(world, random)
    if (!guest) return
    const {kind, node, vmid} = guest
    const form: Record<string, string> = random.chance(0.7)
      ? {memory: random.pick(['512', '640', '1024']), tags: random.pick(['theirs', 'red'])}
      : {[kind === 'lxc' ? 'hostname' : 'name']: `theirs-${String(vmid)}`}
    await world.proxmox.ask('PUT', `/nodes/${node}/${kind}/${String(vmid)}/config`, form)
  },
  'others start and stop': async ({world, random}) => {
    const guest = drawGuest(world, random)
    if (!guest) return
    const verb = guest.runtime.status === 'running' ? 'stop' : 'start'
    await world.proxmox.ask('POST', `/nodes/${guest.node}/${guest.kind}/${String(guest.vmid)}/status/${verb}`)
  },
  'others lock': async ({world, random}) => {
    const guest = drawGuest(world, random)
    if (!guest || guest.config['lock'] !== undefined) return
    guest.config['lock'] = 'backup'
    await world.clock.sleep(random.between(1_000, 100_000))
    const now = world.proxmox.guest(guest.vmid)
    if (now?.config['lock'] === 'backup') delete now.config['lock']
  },
  'others create anew': createAnew,
  'clock jumps': ({world, random}) => {
    const hours = random.pick([-2, -1, 1, 3])
    world.clockOffsetMs += hours * 3_600_000
    world.oracle.clockJumped()
    world.mayBeDisarmed = true
    world.trace(() => `  felhom: the clock jumps by ${String(hours)} h`)
  },
  'second instance': ({startInstance}) => {
    startInstance()
  },
  'list filtered': async ({world, random}) => {
    const {access} = world.proxmox.state
    const hidden = random.pick(world.scenario.managed).vmid
    const token = access.tokens.find(({tokenid}) => tokenid === OUR_TOKEN)
    if (!token || token.privsep === 1) return
    token.privsep = 1
    const grant = (path: string, roleid: string): (typeof access.acl)[number] => ({
      ...{path, type: 'token', ugid: OUR_TOKEN, propagate: 1, roleid},
    })
    access.acl.push(grant('/', 'Administrator'), grant(`/vms/${String(hidden)}`, 'NoAccess'))
    await world.clock.sleep(random.between(1_000, 200_000))
    unfilter(world)
  },
  'slow tasks': async ({world, random}) => {
    world.proxmox.slowness = random.pick([20, 60, 120])
    await world.clock.sleep(random.between(10_000, 200_000))
    world.proxmox.slowness = 1
  },
  'guest hangs': async ({world, random}) => {
    await withKnob(world, random, 'hang')
  },
  'start fails': async ({world, random}) => {
    await withKnob(world, random, 'failStart')
  },
  'config lock held': ({world, random}) => {
    const guest = drawGuest(world, random)
    if (guest) guest.knobs.configLockHeldUntilMs = world.clock.now() + random.between(100, 40_000)
  },
}

/** One event after another until the storm is over. */
export async function unfold(scene: Scene): Promise<void> {
  const {weather, world, random} = scene
  const kinds = [...weather.troubles].filter((trouble) => trouble in EVENTS)
  if (kinds.length === 0) return
  while (!weather.isOver) {
    await world.clock.sleep(random.between(200, 25_000))
    const kind = random.pick(kinds)
    if (!weather.has(kind)) return
    // The power of the machine and of the cluster fails less often than people change things.
    if (RARE.has(kind) && !random.chance(0.3)) continue
    world.oracle.sample()
    world.oracle.count(`event ${kind}`)
    world.trace(() => `  event: ${kind}`)
    void EVENTS[kind]?.(scene)
  }
}

const RARE: ReadonlySet<Trouble> = new Set([
  'crash',
  'power loss',
  'Proxmox loses power',
  'clock jumps',
  'others create anew',
  'quorum lost',
  'list filtered',
])

/** Everything that can be mended is; what was done stays done. */
export function clearUp(world: World): void {
  const {state} = world.proxmox
  state.quorate = true
  for (const node of state.nodes) node.online = true
  for (const guest of state.guests.values()) {
    guest.knobs = {}
    if (guest.config['lock'] === 'backup') delete guest.config['lock']
  }
  world.proxmox.slowness = 1
  unfilter(world)
  rescan(world)
}

/** As `qm disk rescan` does: a volume that grew when its config could not be written is written down. */
function rescan(world: World): void {
  const {guests, storages} = world.proxmox.state
  const volumes = new Map(storages.flatMap(({volumes: all}) => all.map(({volid, size}) => [volid, size])))
  for (const {config} of guests.values()) {
    for (const [option, text] of Object.entries(config)) {
      const bytes = volumes.get(text.split(',', 1)[0] ?? '')
      if (bytes !== undefined) config[option] = text.replace(/size=[^,]+/, `size=${formatSize(bytes)}`)
    }
  }
}

function unfilter(world: World): void {
  const {access} = world.proxmox.state
  const token = access.tokens.find(({tokenid}) => tokenid === OUR_TOKEN)
  if (token) token.privsep = 0
  access.acl = access.acl.filter(({ugid}) => ugid !== OUR_TOKEN)
}

async function setBack(
  world: World,
  random: Random,
  maxMs: number,
  set: (isOn: boolean) => void,
): Promise<void> {
  set(false)
  await world.clock.sleep(random.between(1_000, maxMs))
  set(true)
}

async function withKnob(world: World, random: Random, knob: 'hang' | 'failStart'): Promise<void> {
  const guest = drawGuest(world, random)
  if (!guest) return
  guest.knobs[knob] = true
  await world.clock.sleep(random.between(10_000, 200_000))
  const now = world.proxmox.guest(guest.vmid)
  if (now) now.knobs[knob] = false
}

function drawGuest(world: World, random: Random): Guest | undefined {
  const there = world.scenario.managed.flatMap(({vmid}) => world.proxmox.guest(vmid) ?? [])
  return there.length === 0 ? undefined : random.pick(there)
}

/** Somebody destroys a guest and makes another one of the same number. */
async function createAnew({world, random}: Scene): Promise<void> {
  const guest = drawGuest(world, random)
  if (!guest) return
  const {kind, node, vmid} = guest
  const path = `/nodes/${node}/${kind}/${String(vmid)}`
  await awaitTask(world, await world.proxmox.ask('POST', `${path}/status/stop`))
  const destroyed = await world.proxmox.ask('DELETE', path)
  if (destroyed === undefined || random.chance(0.3)) return
  await awaitTask(world, destroyed)
  const id = String(vmid)
  const form: Record<string, string> =
    kind === 'lxc'
      ? {
          vmid: id,
          ostemplate: 'nas:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst',
          storage: 'nas',
          rootfs: 'nas:4',
          hostname: `theirs-${id}`,
          net0: 'name=eth0,bridge=vmbr0',
        }
      : {vmid: id, name: `theirs-${id}`, scsi0: 'nas:4', net0: 'virtio,bridge=vmbr0', memory: '512'}
  await world.proxmox.ask('POST', `/nodes/${node}/${kind}`, form)
}

async function awaitTask(world: World, upid: unknown): Promise<void> {
  if (typeof upid !== 'string') return
  for (let i = 0; i < 100; i++) {
    if (world.proxmox.task(upid)?.exitstatus !== undefined) return
    await world.clock.sleep(1_000)
  }
}

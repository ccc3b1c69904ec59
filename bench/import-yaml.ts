// Desired state for a generated cluster, as a person would write it: about 0.7 kB a guest, one in a hundred with
// another memory than the live guest has, unless told otherwise.
import {generateSeed} from '../src/lib/sandbox/seed-generator.ts'

interface SeedGuest {
  kind: 'lxc' | 'qemu'
  vmid: number
  node: string
  running: boolean
  config: Record<string, string | number>
}

export function importYaml(guests: number, driftEvery = 100): string {
  const seed = generateSeed(guests) as unknown as {guests: SeedGuest[]}
  return `felhom: 1\nguests:\n${seed.guests.map((guest, i) => renderGuest(guest, i % driftEvery === 0)).join('')}`
}

function renderGuest({kind, vmid, node, running, config}: SeedGuest, isDrifted: boolean): string {
  const memory = Number(config['memory']) * (isDrifted ? 2 : 1)
  const name = String(config[kind === 'lxc' ? 'hostname' : 'name'])
  const tags = String(config['tags']).split(';')
  const disk = kind === 'lxc' ? 'rootfs' : 'scsi0'
  const size = /size=(\d+)G/.exec(String(config[disk]))?.[1] ?? '8'
  const net = kind === 'lxc' ? '{name: eth0, bridge: vmbr0, ip: dhcp}' : '{bridge: vmbr0}'
  return `  # ${name}: made for the benchmark. It stands on ${node}, and what is written here is what a
  # careful person would write for a guest of this kind: a name, its share of the machine, its
  # network, its disk, and a word on what it is there for.
  ${String(vmid)}:
    kind: ${kind}
    node: [node1, node2, node3, node4]
    run: ${running ? 'running' : 'stopped'}
    restart: never
    stop: {timeout: 60s, force: false}
    config:
      ${kind === 'lxc' ? 'hostname' : 'name'}: ${name}
      cores: ${String(config['cores'])}
      memory: ${String(memory)}MiB
      tags: [${tags.join(', ')}]
      onboot: ${config['onboot'] === 1 ? 'true' : 'false'}
      ostype: ${String(config['ostype'])}
      net0: ${net}
    disks:
      ${disk}: {size: ${size}GiB}
`
}

// Processors, memory, USB devices and the guest agent of a running machine: what can be changed live, and how far.
import {parseMemory} from './memory.ts'
import {isTrue} from './drive.ts'
import {optionFormat} from './option-schema.ts'
import {maxCpus} from './processors.ts'
import {isModernUsbGuest} from './os-type.ts'
import {die} from '../../pve-error.ts'
import {parsePropertyString, printPropertyString} from '../../schema/property-string.ts'
import type {QemuConf} from './conf.ts'
import type {Work} from './work.ts'
import type {Guest, Section} from '../../state.ts'

/** A running machine whose waiting changes are being applied. */
export interface Plug {
  work: Work
  guest: Guest
  conf: QemuConf
  features: ReadonlySet<string>
}

const STATIC_MEMORY_MIB = 1024
const MAX_MEMORY_MIB = 512 * 1024
/** Proxmox dies here without a line end, so Perl tells where. */
const TOO_LITTLE = `memory can't be lower than ${String(STATIC_MEMORY_MIB)} MB at /usr/share/perl5/PVE/QemuServer/Memory.pm line 219.`
const DIMMS_PER_SIZE = 32

export function changeVcpus(plug: Plug, vcpus: number): boolean {
  if (!plug.features.has('cpu')) return false
  if (vcpus > maxCpus(plug.conf.config)) die("you can't add more vcpus than maxcpus")
  return true
}

export function deleteVcpus(plug: Plug): boolean {
  return plug.features.has('cpu')
}

/** The balloon device itself comes and goes with a start only. */
export function changeBalloon({conf}: Plug, value: string): boolean {
  const before = conf.config['balloon']
  return (before === undefined || isTrue(before)) === isTrue(value)
}

export function resetBalloon({conf}: Plug): boolean {
  const before = conf.config['balloon']
  return before === undefined || Number(before) !== 0
}

/** Memory is plugged in modules that double in size after each 32; what was plugged is what is written. */
export function plugMemory(plug: Plug, text: string | undefined): boolean {
  const {conf, features} = plug
  if (!features.has('memory')) return false
  const before = parseMemory(conf.config['memory'])
  const wanted = parseMemory(text)
  if (wanted === before) return true
  if (wanted < STATIC_MEMORY_MIB) die(TOO_LITTLE)
  if (wanted > MAX_MEMORY_MIB) die(`you cannot add more memory than max mem ${String(MAX_MEMORY_MIB)} MB!`)
  if (text !== undefined) {
    const current = String(wanted > before ? pluggedSize(wanted) : unpluggedSize(before, wanted))
    conf.pending['memory'] = printPropertyString({current}, optionFormat('memory'))
  }
  return true
}

/** What a machine must be like to be started with memory modules. */
export function checkMemoryHotplug(config: Section): void {
  if (!isTrue(config['numa'])) die('NUMA needs to be enabled for memory hotplug')
  const memory = parseMemory(config['memory'])
  if (memory > MAX_MEMORY_MIB) die(`Total memory is bigger than ${String(MAX_MEMORY_MIB)}MB`)
  if (Object.keys(config).some((option) => /^numa\d+$/.test(option))) {
    die('cannot enable memory hotplugging with custom NUMA topology')
  }
  if (memory < STATIC_MEMORY_MIB) die(`minimum memory must be ${String(STATIC_MEMORY_MIB)}MB`)
  let before = STATIC_MEMORY_MIB
  for (const size of moduleSizes()) {
    if (before >= memory) return
    if (size > memory) {
      die(`memory size (${String(memory)}) must be aligned to ${String(size - before)} for hotplugging`)
    }
    before = size
  }
}

/** The size of the machine after each module, from the static memory upwards. */
function* moduleSizes(): Generator<number> {
  let size = STATIC_MEMORY_MIB
  for (let module = 512; ; module *= 2) {
    for (let i = 0; i < DIMMS_PER_SIZE; i++) yield (size += module)
  }
}

function pluggedSize(wanted: number): number {
  for (const size of moduleSizes()) if (size >= wanted) return size
  return wanted
}

function unpluggedSize(before: number, wanted: number): number {
  const sizes = [STATIC_MEMORY_MIB]
  for (const size of moduleSizes()) {
    if (size > before) break
    sizes.push(size)
  }
  return sizes.find((size) => size >= wanted && size <= before) ?? STATIC_MEMORY_MIB
}

/** A mapped device must be known on this node; none is in the sandbox. Undefined: the device goes. */
export function plugUsb({conf, features}: Plug, value: string | undefined): boolean {
  if (!features.has('usb') || !isModernUsbGuest(conf.config['ostype'])) return false
  if (value === undefined) return true
  const {host, mapping} = parsePropertyString(optionFormat('usb0'), value)
  if (host === undefined && mapping !== undefined) die(`USB device mapping not found for '${mapping}'`)
  return true
}

/** Only the trimming of cloned disks is no business of the running machine. */
export function changeAgent({conf}: Plug, value: string): boolean {
  const before = conf.config['agent']
  if (!isTrue(before)) return false
  const parse = (text: string): string => {
    const keys = Object.entries(parsePropertyString(optionFormat('agent'), text))
    return JSON.stringify(keys.filter(([key]) => key !== 'fstrim_cloned_disks').sort())
  }
  return parse(before ?? '') === parse(value)
}

// The value of an option as a person would write it. Every form is tried before it is chosen: only one that reads
// back as exactly what the guest has is written.
import {compareOption} from '../../catalog/compare-option.ts'
import {splitList} from '../../catalog/normalise-part.ts'
import type {Option} from '../../catalog/option.ts'
import {parseBoolean} from '../../catalog/property-string.ts'
import {readValue} from '../../catalog/read-value.ts'
import {readSshKeys} from '../../catalog/ssh-keys.ts'
import type {PlainValue} from '../../yaml/write-yaml.ts'
import {describeProperties, toPlainMebibytes, toPlainNumber} from './import-parts.ts'

/** undefined: no form of it would be understood as it is. */
export function describeOption(option: Option, live: string, vmid: number): PlainValue | undefined {
  const forms = [...(option.format ? describeProperties(option, option.format, live, vmid) : []), live]
  if (!option.format) forms.unshift(describePlain(option, live))
  return forms.find((form) => isFaithful(option, live, form))
}

function isFaithful(option: Option, live: string, form: PlainValue): boolean {
  const reading = readValue(option, form)
  return 'value' in reading && compareOption(option, live, reading.value).equal
}

const LISTS: ReadonlySet<string> = new Set(['nameserver', 'searchdomain', 'hotplug'])

function describePlain(option: Option, live: string): PlainValue {
  if (option.name === 'description') return `${live.replace(/\n+$/, '')}\n`
  if (option.name === 'tags') return splitList(live)
  if (option.name === 'sshkeys') return readSshKeys(live)
  if (option.name === 'hotplug' && /^[01]$/.test(live)) return live === '1'
  if (LISTS.has(option.name)) return oneOrMany(splitList(live))
  if (option.type === 'boolean') return parseBoolean(live) ?? live
  if (option.unit === 'MiB') return toPlainMebibytes(live)
  return option.type === 'string' ? live : toPlainNumber(live)
}

const oneOrMany = (items: readonly string[]): PlainValue => (items.length === 1 ? (items[0] ?? '') : items)

// Defaults hold for every guest of their kind, in whichever file they stand. Two files may say the same; if
// they contradict each other, neither wins.
import type {DesiredOption, SourcePlace} from '../model/desired.ts'
import type {GuestLayer} from './guest-layer.ts'
import type {Section} from './section.ts'

export interface PlacedDefaults {
  readonly layer: GuestLayer
  /** Where the first of them stand. */
  readonly place: SourcePlace
}

/** How each default is written, and where it is kept. */
const PLAIN = [
  {path: ['run'], key: 'run'},
  {path: ['restart'], key: 'restart'},
  {path: ['stop', 'timeout'], key: 'timeoutMs'},
  {path: ['stop', 'force'], key: 'force'},
] as const

const EXPECTED = 'one place for each default: it holds for the guests of all files'

/** `section` is where `next` was written, `before` what earlier files said. */
export function joinDefaults(section: Section, next: GuestLayer, before: PlacedDefaults): PlacedDefaults {
  const options = new Map(before.layer.options)
  for (const option of next.options.values()) {
    const first = options.get(option.name)
    if (!first) options.set(option.name, option)
    else if (!isSame(first, option)) refuseOption(section, option.name, first.place)
  }
  for (const {path, key} of PLAIN) {
    const [a, b] = [before.layer[key], next[key]]
    if (a !== undefined && b !== undefined && a !== b)
      section.complain(path, 'key', {
        code: 'default_twice',
        message: `the default of '${path.join('.')}' is another one at ${showPlace(before.place)}`,
        expected: EXPECTED,
      })
  }
  return {layer: {...next, ...dropUndefined(before.layer), options}, place: before.place}
}

const dropUndefined = (layer: GuestLayer): Partial<GuestLayer> =>
  Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined))

function isSame(a: DesiredOption, b: DesiredOption): boolean {
  const text = ({value}: DesiredOption): string =>
    JSON.stringify(value.is === 'parts' ? [...value.parts].sort() : value)
  return text(a) === text(b)
}

function refuseOption(section: Section, name: string, first: SourcePlace): void {
  const home = ['config', 'disks'].find((key) => section.section(key, '')?.map[name] !== undefined)
  section.complain(home === undefined ? [] : [home, name], 'key', {
    code: 'default_twice',
    message: `the default of '${name}' is another one at ${showPlace(first)}`,
    expected: EXPECTED,
  })
}

export const showPlace = ({file, line, column}: SourcePlace): string => `${file}:${line}:${column}`

// A container's config as its file is read and written: what reading turns the text into, and what writing drops.
import {descriptionAsRead} from '../../guest/config-file.ts'
import {die} from '../../pve-error.ts'
import {keepStaged, stage, unset, type Staged} from '../../guest/pending.ts'
import {usedVolumes} from './mount-points.ts'
import {optionSchema} from './option-schema.ts'
import type {Guest, Section} from '../../state.ts'

/**
 * The guest's sections as a reader of its file sees them. What was sent as `02` or as nothing is written as it
 * came, and only reading turns it into 2 or a blank; the next write then writes that.
 */
export function loadStaged(guest: Guest): Staged {
  const staged = stage(guest)
  staged.config = sectionAsRead(staged.config)
  staged.pending = sectionAsRead(staged.pending)
  return staged
}

/**
 * Writes the sections: an `unused` entry whose volume is in use again goes, a description is normalised. A value
 * with a line end in it dies here, when all checks have passed.
 */
export function writeStaged(guest: Guest, staged: Staged): void {
  const {config} = staged
  const used = usedVolumes(config)
  for (const key of Object.keys(config)) {
    if (key.startsWith('unused') && used.has(config[key] ?? '')) unset(config, key)
  }
  if (config['description'] !== undefined) {
    const description = descriptionAsRead('lxc', config['description'])
    if (description === undefined) unset(config, 'description')
    else config['description'] = description
  }
  const {pending} = staged
  for (const section of [config, pending]) checkLineEnds(section)
  if ([config, pending].some(hasWideText)) for (const section of [config, pending]) writeAsBytes(section)
  keepStaged(guest, staged)
}

/** The description is encoded, and the environment has a line for each variable. */
const isPlainLine = (key: string): boolean => key !== 'description' && key !== 'env' && key !== 'lxc'

function checkLineEnds(section: Section): void {
  for (const key of Object.keys(section).sort()) {
    if (isPlainLine(key) && section[key]?.includes('\n') === true) {
      die(`detected invalid newline inside property '${key}'`)
    }
  }
}

const hasWideText = (section: Section): boolean =>
  Object.keys(section).some((key) => key !== 'description' && /[^\0-\xff]/.test(section[key] ?? ''))

/** A file with characters beyond Latin-1 is written as UTF-8, and read back byte by byte. */
function writeAsBytes(section: Section): void {
  for (const [key, text] of Object.entries(section)) {
    if (key !== 'description') section[key] = Buffer.from(text, 'utf8').toString('latin1')
  }
}

export function sectionAsRead(section: Section): Section {
  const read: Section = {}
  for (const [key, text] of Object.entries(section)) {
    if (key === 'description' || key === 'lxc') read[key] = text
    else if (key === 'env') readEnvironment(read, text)
    else read[key] = textAsRead(key, text)
  }
  return read
}

/** The text of one option as a reader of the file sees it. */
export function textAsRead(name: string, text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') return ' '
  const type = optionSchema(name)?.type
  if (type === 'integer' && /^0\d+$/.test(trimmed)) return String(Number(trimmed))
  if (type === 'boolean' && /^(on|yes|true)$/i.test(trimmed)) return '1'
  if (type === 'boolean' && /^(off|no|false)$/i.test(trimmed)) return '0'
  return trimmed
}

/** The environment is written as one line per variable and read back from these. */
function readEnvironment(read: Section, text: string): void {
  const variables = text.split('\0').filter((variable) => variable !== '')
  // What follows a line end in a variable is a line of its own, which means nothing.
  const lines = variables.map((variable) => variable.split('\n', 1)[0] ?? '')
  if (lines.length > 0) read['env'] = lines.map((line) => line.trim()).join('\0')
}

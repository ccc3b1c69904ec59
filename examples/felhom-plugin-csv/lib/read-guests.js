// Records of a CSV file as the guests of a desired-state file. What the values may be is for felhom to judge.
import {CsvError, parseCsv} from './parse-csv.js'

const OWN = ['kind', 'node', 'ensure', 'run']
const AT_CREATION = ['template', 'storage', 'clone']
const KINDS = ['lxc', 'qemu']

/**
 * @param {string} text
 * @param {string} file for messages
 * @returns {Record<string, unknown>} guests by their vmid
 */
export function readGuests(text, file) {
  const [header, ...records] = parseCsv(text, file)
  if (!header) throw new CsvError(file, 1, 'it holds no header')
  const columns = header.cells
  checkHeader(columns, file, header.line)
  /** @type {Map<string, number>} */
  const lines = new Map()
  return Object.fromEntries(
    records.map(({line, cells}) => {
      if (cells.length !== columns.length)
        throw new CsvError(file, line, `it holds ${cells.length} cells, and the header ${columns.length}`)
      const row = Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']))
      const vmid = readVmid(row, file, line)
      const earlier = lines.get(vmid)
      if (earlier !== undefined) throw new CsvError(file, line, `guest ${vmid} is in line ${earlier} already`)
      lines.set(vmid, line)
      return [vmid, toGuest(row, file, line)]
    }),
  )
}

/**
 * @param {string[]} columns
 * @param {string} file
 * @param {number} line
 */
function checkHeader(columns, file, line) {
  for (const needed of ['vmid', 'kind'])
    if (!columns.includes(needed)) throw new CsvError(file, line, `the header names no column ${needed}`)
  const twice = columns.find((column, i) => columns.indexOf(column) !== i)
  if (twice !== undefined) throw new CsvError(file, line, `the header names the column ${twice} twice`)
  if (columns.includes('')) throw new CsvError(file, line, 'a column has no name')
}

/**
 * @param {Record<string, string>} row
 * @param {string} file
 * @param {number} line
 */
function readVmid({vmid = ''}, file, line) {
  if (/^[1-9]\d{2,8}$/.test(vmid)) return vmid
  throw new CsvError(file, line, `vmid is a number from 100 on, not ${JSON.stringify(vmid)}`)
}

/**
 * @param {Record<string, string>} row
 * @param {string} file
 * @param {number} line
 */
function toGuest(row, file, line) {
  const kind = row['kind'] ?? ''
  if (!KINDS.includes(kind))
    throw new CsvError(file, line, `kind is lxc or qemu, not ${JSON.stringify(kind)}`)
  if (row['name'] && row['hostname']) throw new CsvError(file, line, 'it has both a name and a hostname')
  /** @type {Record<string, Record<string, unknown>>} */
  const parts = {guest: {}, config: {}, create: {}}
  for (const [column, cell] of Object.entries(row)) {
    if (cell === '' || column === 'vmid') continue
    const part = OWN.includes(column) ? 'guest' : AT_CREATION.includes(column) ? 'create' : 'config'
    const isName = column === 'name' || column === 'hostname'
    const key = isName ? (kind === 'lxc' ? 'hostname' : 'name') : column
    parts[part] = {
      ...parts[part],
      [key]: column === 'tags' ? cell.split(/[;\s]+/).filter(Boolean) : toValue(cell),
    }
  }
  return {...parts['guest'], ...pickFilled('config', parts), ...pickFilled('create', parts)}
}

/** @param {string} cell */
function toValue(cell) {
  if (cell === 'true' || cell === 'false') return cell === 'true'
  return /^(?:0|[1-9]\d{0,14})$/.test(cell) ? Number(cell) : cell
}

/**
 * @param {string} key
 * @param {Record<string, Record<string, unknown>>} parts
 */
const pickFilled = (key, parts) => (Object.keys(parts[key] ?? {}).length > 0 ? {[key]: parts[key]} : {})

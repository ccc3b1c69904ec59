// The provider: felhom calls it whenever it wants to know what shall be.
import {readFile} from 'node:fs/promises'
import {resolve} from 'node:path'
import {readGuests} from './read-guests.js'

/** @type {import('felhom/plugin').Provider} */
export async function provideGuests(options, {dir, signal}) {
  const {file, ...others} = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new Error(`there is no option ${JSON.stringify(unknown)}; there is: file`)
  if (typeof file !== 'string' || file === '') throw new Error('options: {file: …} names no CSV file')
  const text = await readFile(resolve(dir, file), {encoding: 'utf8', signal})
  return [{name: file, content: {felhom: 1, guests: readGuests(text, file)}}]
}

// Compares a text with a file that somebody has looked at. UPDATE_GOLDEN=1 writes the files anew; what has changed
// is then for `git diff` to show.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {expect} from 'chai'

const DIRECTORY = new URL('../fixtures/golden/', import.meta.url)

export function expectGolden(name: string, text: string): void {
  const file = new URL(name, DIRECTORY)
  if (process.env['UPDATE_GOLDEN'] === '1') {
    mkdirSync(DIRECTORY, {recursive: true})
    writeFileSync(file, text)
  }
  expect(text).to.equal(readFileSync(file, 'utf8'))
}

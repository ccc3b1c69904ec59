// Writes the test vectors of the gate, test/fixtures/gate/*.json, from fixed seeds: the same files every time. With
// --check it writes nothing and fails if a file is not as it would be written.
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs'
import {fileURLToPath} from 'node:url'
import {makeVectors} from '../test/support/gate-vectors/make-vectors.ts'

const directory = new URL('../test/fixtures/gate/', import.meta.url)
const isCheck = process.argv.includes('--check')

mkdirSync(directory, {recursive: true})
for (const [name, text] of Object.entries(makeVectors())) {
  const file = fileURLToPath(new URL(name, directory))
  if (!isCheck) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${name} is not as scripts/generate-gate-vectors.ts writes it`)
    process.exitCode = 1
  }
}

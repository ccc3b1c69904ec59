// Writes examples/homelab/felhom.schema.json: what `felhom schema` prints. With --check it only compares, for the
// drift check of `npm test`.
import {readFileSync, writeFileSync} from 'node:fs'
import {describeSchema} from '../src/lib/app/schema/describe-schema.ts'
import {toJsonText} from '../src/lib/report/json-text.ts'

const target = new URL('../examples/homelab/felhom.schema.json', import.meta.url)
const text = `${toJsonText(describeSchema(), 1)}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('examples/homelab/felhom.schema.json is out of date: npm run generate')
    process.exitCode = 1
  }
} else writeFileSync(target, text)

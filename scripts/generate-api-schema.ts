// Writes src/lib/catalog/data/api-schema.json, the compact form of the recorded API facts that the product
// ships. With --check it only compares, for the drift check of `npm test`.
import {readFileSync, writeFileSync} from 'node:fs'

const source = new URL('../test/fixtures/pve/api-schema.json', import.meta.url)
const target = new URL('../src/lib/catalog/data/api-schema.json', import.meta.url)
const compact = `${JSON.stringify(JSON.parse(readFileSync(source, 'utf8')))}\n`

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== compact) {
    console.error('src/lib/catalog/data/api-schema.json is out of date: npm run generate')
    process.exitCode = 1
  }
} else writeFileSync(target, compact)

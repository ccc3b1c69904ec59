#!/usr/bin/env node
// The fast path comes first: asking for the version needs none of the machinery.
if (process.argv.length === 3 && ['--version', '-v', '-V'].includes(process.argv[2])) {
  const {readFileSync} = process.getBuiltinModule('node:fs')
  const {version} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`felhom/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else {
  const {main} = await import('../dist/lib/cli/main.js')
  await main(import.meta.url)
}

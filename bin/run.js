#!/usr/bin/env node
'use strict'
// The fast path comes first: asking for the version needs none of the machinery.
const {join} = require('node:path')
const root = join(__dirname, '..')
if (process.argv.length === 3 && ['--version', '-v', '-V'].includes(process.argv[2])) {
  const {version} = require(join(root, 'package.json'))
  process.stdout.write(`felhom/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
} else {
  require('../dist/lib/cli/main.cjs').main(root)
}

#!/usr/bin/env node
'use strict'
// Runs the sources without a build.
const {join} = require('node:path')
require('tsx/esm/api').register()
import('../src/lib/cli/main.ts').then(({main}) => main(join(__dirname, '..'), {development: true}))

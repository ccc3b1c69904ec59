#!/usr/bin/env node
// Runs the sources without a build.
import {register} from 'tsx/esm/api'

register()
const {main} = await import('../src/lib/cli/main.ts')
await main(import.meta.url, {development: true})

#!/usr/bin/env -S node --import tsx
// Runs the sources without a build.
const {main} = await import('../src/lib/cli/main.ts')
await main(import.meta.url, {development: true})

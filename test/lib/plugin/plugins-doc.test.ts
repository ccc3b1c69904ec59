// docs/plugins.md names what a rule can be asked about, all of it.
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import type {ActionType} from '../../../src/lib/plugin/contract.ts'

const TYPES: Record<ActionType, true> = {
  create: true,
  'set-config': true,
  resize: true,
  migrate: true,
  start: true,
  shutdown: true,
  restart: true,
  destroy: true,
  'snapshot-delete': true,
  'snapshot-rollback': true,
}

describe('docs/plugins.md', () => {
  it('lists every type of action, and no other', () => {
    const text = readFileSync(new URL('../../../docs/plugins.md', import.meta.url), 'utf8')
    const table = /^\| `type` .*\n\|[- |]+\n((?:\|.*\n)+)/m.exec(text)?.[1] ?? ''
    const listed = [...table.matchAll(/^\| `([a-z-]+)`/gm)].map(([, type]) => type)
    expect(listed).to.deep.equal(Object.keys(TYPES))
  })
})

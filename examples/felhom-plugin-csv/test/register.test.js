import assert from 'node:assert/strict'
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {test} from 'node:test'
import register from '../lib/register.js'

/** As felhom does it. */
function load() {
  const brought = /** @type {import('felhom/plugin').FelhomPlugin[]} */ ([])
  register({apiVersion: 1, felhomVersion: '0.2.0', register: (plugin) => brought.push(plugin)})
  const [plugin] = brought
  assert.equal(brought.length, 1)
  assert.ok(plugin?.providers?.['csv'])
  return {name: plugin.name, csv: plugin.providers['csv']}
}

test('registers one provider under the name of its package', () => {
  assert.equal(load().name, 'felhom-plugin-csv')
})

test('reads the file beside the settings', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'felhom-csv-'))
  try {
    await writeFile(join(dir, 'guests.csv'), 'vmid,kind\n101,lxc\n')
    const context = {dir, signal: new AbortController().signal}
    assert.deepEqual(await load().csv({file: 'guests.csv'}, context), [
      {name: 'guests.csv', content: {felhom: 1, guests: {101: {kind: 'lxc'}}}},
    ])
    await assert.rejects(async () => load().csv({file: 'other.csv'}, context), /ENOENT.*other\.csv/)
    await assert.rejects(async () => load().csv({}, context), /names no CSV file/)
    await assert.rejects(async () => load().csv({file: 'a', sep: ';'}, context), /no option "sep"/)
  } finally {
    await rm(dir, {recursive: true})
  }
})

import assert from 'node:assert/strict'
import {test} from 'node:test'
import register from '../lib/register.js'

/** As felhom does it. */
function load() {
  const brought = /** @type {import('felhom/plugin').FelhomPlugin[]} */ ([])
  register({apiVersion: 1, felhomVersion: '0.2.0', register: (plugin) => brought.push(plugin)})
  const [plugin] = brought
  assert.equal(brought.length, 1)
  assert.equal(plugin?.name, 'felhom-plugin-prod-stop')
  assert.ok(plugin.rules?.['prod-stop'])
  return plugin.rules['prod-stop']
}

/**
 * @param {string} type
 * @param {readonly string[] | undefined} tags
 * @param {readonly string[]} options
 */
function ask(type, tags, options = []) {
  const action = {
    type,
    class: /** @type {const} */ ('benign'),
    impact: /** @type {const} */ ('outage'),
    options,
  }
  const guest = {
    kind: /** @type {const} */ ('lxc'),
    vmid: 101,
    node: 'pve1',
    name: 'dns1',
    tags,
    exists: true,
  }
  const context = {dir: '/', signal: new AbortController().signal}
  return load()({action: {...action, reversible: true}, guest}, context)
}

test('demands a signature for stopping a guest tagged prod', () => {
  assert.equal(ask('shutdown', ['dns', 'prod']), 'destructive')
  assert.equal(ask('restart', ['prod']), 'destructive')
})

test('demands one for its tags, without which it could be stopped', () => {
  assert.equal(ask('set-config', ['prod'], ['tags', 'memory']), 'destructive')
})

test('demands one where the tags could not be read', () => {
  assert.equal(ask('shutdown', undefined), 'destructive')
})

test('leaves all else to felhom', () => {
  assert.equal(ask('shutdown', ['dns', 'production']), undefined)
  assert.equal(ask('start', ['prod']), undefined)
  assert.equal(ask('set-config', ['prod'], ['memory']), undefined)
  assert.equal(ask('set-config', ['dns'], ['tags']), undefined)
})

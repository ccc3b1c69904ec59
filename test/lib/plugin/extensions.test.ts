import {expect} from 'chai'
import {collectExtensions, type Registration} from '../../../src/lib/plugin/extensions.ts'
import type {FelhomError} from '../../../src/lib/model/felhom-error.ts'

const POINTS = ['providers', 'rules', 'observers', 'notifiers', 'formats'] as const
const nothing = (): undefined => undefined

const bring = (name: string, brought: Record<string, unknown> = {}): Registration => ({
  package: name,
  plugin: {name, apiVersion: 1, ...brought},
})

function refusal(...registrations: Registration[]): string {
  try {
    collectExtensions(registrations)
  } catch (error) {
    expect(error).to.have.property('code', 'plugin_failed')
    return (error as FelhomError).message
  }
  throw new Error('expected a refusal')
}

describe('what plugins bring', () => {
  for (const point of POINTS) {
    const one = point.slice(0, -1)

    it(`is gathered: ${point}`, () => {
      const all = collectExtensions([
        bring('b', {[point]: {y: nothing}}),
        bring('a', {[point]: {z: nothing, x: nothing}}),
      ])
      expect(all.plugins).to.deep.equal(['a', 'b'])
      expect(all[point].map(({plugin, name}) => `${name} of ${plugin}`)).to.deep.equal([
        'x of a',
        'y of b',
        'z of a',
      ])
      for (const other of POINTS) if (other !== point) expect(all[other]).to.deep.equal([])
    })

    it(`is refused under a name that is taken: ${point}`, () => {
      const [a, b] = [bring('a', {[point]: {x: nothing}}), bring('b', {[point]: {x: nothing}})]
      const expected = `the plugin b cannot be used: its ${one} x has the name of one of a`
      expect(refusal(a, b)).to.equal(expected)
      expect(refusal(b, a)).to.equal(expected)
    })

    it(`is refused if it is not what it should be: ${point}`, () => {
      expect(refusal(bring('a', {[point]: null}))).to.equal(
        `the plugin a cannot be used: its ${point} are no plain object`,
      )
      expect(refusal(bring('a', {[point]: {x: {}}}))).to.contain(`x of its ${point} is no function`)
      for (const name of ['', 'X', '1x', 'x y', 'x\u001b[2J', '-x', 'x'.repeat(65)])
        expect(refusal(bring('a', {[point]: {[name]: nothing}}))).to.contain(
          `${JSON.stringify(name)} of its ${point}`,
        )
    })
  }

  it('is refused under the name of a form that felhom has itself', () => {
    expect(refusal(bring('a', {formats: {text: nothing}}))).to.contain(
      'its format text has the name of one of felhom',
    )
  })

  describe('is refused if some of it would be passed over:', () => {
    const runs = {r: nothing}
    class Rules {
      r(): undefined {
        return undefined
      }
    }
    class Plugin {
      name = 'a'
      apiVersion = 1
      get rules(): object {
        return runs
      }
    }
    for (const [title, rules] of [
      ['a promise', Promise.resolve(runs)],
      ['a map', new Map(Object.entries(runs))],
      ['an object of a class', new Rules()],
      ['an object that inherits', Object.create(runs)],
      ['a list', []],
      ['a function', nothing],
    ] as const)
      it(`${title} for rules`, () => {
        expect(refusal(bring('a', {rules}))).to.equal(
          'the plugin a cannot be used: its rules are no plain object',
        )
      })

    it('a plugin of a class, a promise, nothing', () => {
      for (const plugin of [new Plugin(), Promise.resolve(bring('a').plugin), null, 'a', nothing, []])
        expect(refusal({package: 'a', plugin})).to.equal(
          'the plugin a cannot be used: what it registered is no plain object',
        )
    })

    it('what has a symbol for a name, and what nobody knows though it is hidden', () => {
      expect(refusal(bring('a', {rules: {[Symbol('r')]: nothing}}))).to.contain(
        '"Symbol(r)" of its rules is no name',
      )
      const plugin = Object.defineProperty({name: 'a', apiVersion: 1}, 'gates', {value: runs})
      expect(refusal({package: 'a', plugin})).to.contain('it brings "gates", which felhom does not know')
    })

    it('what cannot be read', () => {
      const fail = (): never => {
        throw new Error('no luck')
      }
      const plugin = Object.defineProperty({name: 'a', apiVersion: 1}, 'rules', {get: fail})
      expect(refusal({package: 'a', plugin})).to.equal(
        'the plugin a cannot be used: what it registered cannot be read: no luck',
      )
    })
  })

  it('is what it was when it was checked', () => {
    let asked = 0
    const rules = {
      get r() {
        return asked++ === 0 ? nothing : 'something else'
      },
    }
    const all = collectExtensions([bring('a', {rules})])
    expect(all.rules).to.deep.equal([{plugin: 'a', name: 'r', run: nothing}])
  })

  it('may be hidden, or without a prototype', () => {
    const hidden = Object.defineProperty({name: 'a', apiVersion: 1}, 'rules', {value: {r: nothing}})
    const bare: unknown = Object.assign(Object.create(null), {name: 'a', apiVersion: 1, rules: {r: nothing}})
    for (const plugin of [hidden, bare])
      expect(collectExtensions([{package: 'a', plugin}]).rules.map(({name}) => name)).to.deep.equal(['r'])
  })

  it('may have one name at two points', () => {
    const all = collectExtensions([bring('a', {rules: {x: nothing}, observers: {x: nothing}})])
    expect([all.rules.length, all.observers.length]).to.deep.equal([1, 1])
  })

  it('is refused from one that registers twice, under another name, or for another version', () => {
    expect(refusal(bring('a'), bring('a'))).to.contain('the plugin a cannot be used: it registered twice')
    expect(refusal({package: 'a', plugin: {name: 'b', apiVersion: 1}})).to.contain('the plugin a cannot')
    for (const version of [0, 2, '1', undefined, null])
      expect(refusal(bring('a', {apiVersion: version}))).to.contain(
        `the plugin a cannot be used: it is written for`,
      )
  })
})

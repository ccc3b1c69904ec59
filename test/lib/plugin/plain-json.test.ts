import {expect} from 'chai'
import {writePlainJson} from '../../../src/lib/plugin/plain-json.ts'

const at = (value: unknown): unknown => writePlainJson({guests: {101: {config: {cores: value}}}})

describe('what a plugin answers, as JSON', () => {
  it('says what the answer said', () => {
    for (const value of [{}, [], {a: [1, -1.5, 'x', true, null, {b: ''}]}, {['__proto__']: {a: 1}}])
      expect(writePlainJson(value)).to.deep.equal({text: JSON.stringify(value)})
    expect(writePlainJson(Object.assign(Object.create(null), {a: 1}))).to.deep.equal({text: '{"a":1}'})
  })

  it('takes a key without a value for none', () => {
    expect(writePlainJson({a: undefined, b: 1})).to.deep.equal({text: '{"b":1}'})
  })

  for (const [title, value, what] of [
    ['NaN', NaN, 'NaN'],
    ['Infinity', -Infinity, '-Infinity'],
    ['a BigInt', 5n, 'a bigint'],
    ['a function', () => 5, 'a function'],
    ['a symbol', Symbol('x'), 'a symbol'],
    ['a map', new Map([[1, 2]]), 'a Map'],
    ['a date', new Date(0), 'a Date'],
    ['a promise', Promise.resolve(5), 'a Promise'],
    ['a boxed number', Object(5), 'a Number'],
    [
      'an object of a class',
      new (class {
        one = 1
      })(),
      'an object of a class',
    ],
    ['an object with a symbol for a key', {[Symbol('x')]: 1}, 'a symbol for a key'],
  ] as const)
    it(`refuses ${title}, with its place`, () => {
      expect(at(value)).to.deep.equal({problem: `${what} at guests.101.config.cores`})
      expect(at([0, value])).to.deep.equal({problem: `${what} at guests.101.config.cores.1`})
    })

  it('refuses a hole and undefined in a list, and an odd key in quotes', () => {
    for (const list of [[1, undefined], Object.assign([1], {length: 2})])
      expect(writePlainJson({'a b': list})).to.deep.equal({problem: 'undefined at "a b".1'})
  })

  it('refuses what holds itself, is without end, or cannot be read', () => {
    const ring: Record<string, unknown> = {}
    ring['ring'] = {ring}
    expect(writePlainJson(ring)).to.deep.equal({problem: 'an object that holds itself at ring.ring'})
    let deep: unknown = {}
    for (let i = 0; i < 20_000; i++) deep = [deep]
    expect(writePlainJson(deep)).to.have.property('problem').that.contains('what cannot be read')
    const trap = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        throw new Error('no luck')
      },
    })
    expect(writePlainJson(trap)).to.deep.equal({problem: 'what cannot be read: no luck'})
  })

  it('takes one thing in two places for two', () => {
    const shared = {a: 1}
    expect(writePlainJson([shared, shared])).to.deep.equal({text: '[{"a":1},{"a":1}]'})
  })

  it('reads a value once, and so writes the one that it looked at', () => {
    let reads = 0
    const value = {
      get a() {
        return reads++ === 0 ? 1 : NaN
      },
    }
    expect(writePlainJson(value)).to.deep.equal({text: '{"a":1}'})
  })
})

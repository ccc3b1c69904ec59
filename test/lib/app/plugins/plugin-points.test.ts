// Providers, observers and formats of plugins: a good one, and each way in which one can fail.
import {expect} from 'chai'
import {Observers} from '../../../../src/lib/app/plugins/plugin-observers.ts'
import {chooseForm, renderWithPlugin} from '../../../../src/lib/app/plugins/plugin-formats.ts'
import {openProvider} from '../../../../src/lib/app/source/plugin-source.ts'
import type {RunEvent} from '../../../../src/lib/model/run-event.ts'
import type {Observer, PlanFormat, ProvidedFile, Provider} from '../../../../src/lib/plugin/contract.ts'
import {NO_EXTENSIONS, type Extension} from '../../../../src/lib/plugin/extensions.ts'
import type {PlanJson} from '../../../../src/lib/report/plan-json.ts'
import type {Fetched, Source} from '../../../../src/lib/source/source.ts'
import {rejection} from '../../../support/reject.ts'

const PLUGIN = 'felhom-plugin-x'
const extension = <T>(run: T, name = 'one'): Extension<T> => ({plugin: PLUGIN, name, run})
const hang = (): Promise<never> => new Promise(() => undefined)
const fail = (): never => {
  throw new Error('no luck')
}

describe('a provider of a plugin', () => {
  const fetch = (run: Provider, options = {}, timeoutMs?: number): Promise<Fetched> => {
    const extensions = {...NO_EXTENSIONS, providers: [extension(run)]}
    const source = openProvider({provider: 'one', options, dir: '/srv'}, extensions, timeoutMs)
    if (Object.keys(options).length === 0) expect(source.place).to.equal(`one (${PLUGIN})`)
    return source.fetch(undefined, new AbortController().signal)
  }

  it('brings files, as text or as what the text would say', async () => {
    const files = [
      {name: 'a', content: 'felhom: 1\n'},
      {name: 'b', content: {felhom: 1}},
    ]
    const fetched = await fetch(() => files)
    if (fetched.kind !== 'bundle') throw new Error(fetched.kind)
    const read = fetched.bundle.texts.map(({file, dir, bytes}) => [file, dir, Buffer.from(bytes).toString()])
    expect(read).to.deep.equal([
      ['a', '/srv', 'felhom: 1\n'],
      ['b', '/srv', '{"felhom":1}'],
    ])
    const extensions = {...NO_EXTENSIONS, providers: [extension<Provider>(() => files)]}
    const again = openProvider({provider: 'one', options: {}, dir: '/srv'}, extensions)
    expect(await again.fetch(fetched.bundle, new AbortController().signal)).to.deep.equal({kind: 'unchanged'})
  })

  it('is given its options, as a copy that it may spoil', async () => {
    const options = {file: 'guests.csv', deep: {more: 1}}
    await fetch((given) => {
      expect(given).to.deep.equal(options)
      Object.assign(given['deep'] as object, {more: 2})
      return []
    }, options)
    expect(options.deep.more).to.equal(1)
  })

  it('is another source with other options, of which none is shown', () => {
    const extensions = {...NO_EXTENSIONS, providers: [extension<Provider>(() => [])]}
    const open = (options: Record<string, unknown>): Source =>
      openProvider({provider: 'one', options, dir: '/srv'}, extensions)
    expect(open({file: 'staging.csv'}).mark).to.equal(open({file: 'staging.csv'}).mark)
    expect(open({file: 'staging.csv'}).mark).to.not.equal(open({file: 'prod.csv'}).mark)
    expect(open({file: 'prod.csv'}).place).to.equal(`one (${PLUGIN}), options …`)
  })

  it('is the same source when its options are written in another order', () => {
    const extensions = {...NO_EXTENSIONS, providers: [extension<Provider>(() => [])]}
    const markOf = (options: Record<string, unknown>): string | undefined =>
      openProvider({provider: 'one', options, dir: '/srv'}, extensions).mark
    const mark = markOf({file: 'a', deep: [{x: 1, y: null}]})
    expect(markOf({deep: [{y: null, x: 1}], file: 'a'})).to.equal(mark)
    expect(markOf({deep: [{y: 1, x: null}], file: 'a'})).to.not.equal(mark)
  })

  it('is unusable, by name, when what it brings throws as it is read', async () => {
    const file = {
      get name(): string {
        throw new Error('boo')
      },
      content: '',
    }
    expect(await fetch(() => [file])).to.deep.equal({
      kind: 'unusable',
      problem: `the plugin ${PLUGIN} brings what cannot be read: boo`,
    })
  })

  it('is away, by name, when it fails or hangs', async () => {
    for (const fetched of [await fetch(fail), await fetch(hang, {}, 1)]) {
      expect(fetched.kind).to.equal('away')
      expect(fetched)
        .to.have.property('problem')
        .that.contains(`the provider one of the plugin ${PLUGIN} failed`)
    }
  })

  for (const [title, files] of [
    ['no list', {name: 'a', content: ''}],
    ['nothing', undefined],
    ['a file without a name', [{content: ''}]],
    ['a file without content', [{name: 'a'}]],
    ['null for a file', [null]],
    ['a number for content', [{name: 'a', content: 5}]],
    ['what cannot be written down', [{name: 'a', content: {size: 5n}}]],
  ] as const)
    it(`is unusable, by name, when it brings ${title}`, async () => {
      const fetched = await fetch(() => files as unknown as ProvidedFile[])
      expect(fetched.kind).to.equal('unusable')
      expect(fetched).to.have.property('problem').that.contains(PLUGIN)
    })

  it('is unusable when it brings what JSON would write as something else, with the place', async () => {
    const guests = {101: {kind: 'lxc', config: {cores: Number('two')}}}
    for (const [content, problem] of [
      [{felhom: 1, guests}, 'NaN at guests.101.config.cores'],
      [{felhom: 1, guests: new Map([[101, {kind: 'lxc'}]])}, 'a Map at guests'],
      [{felhom: 1, guests: {101: {tags: ['a', undefined]}}}, 'undefined at guests.101.tags.1'],
      [new Map(), 'a Map'],
    ] as const)
      expect(
        await fetch(() => [{name: 'g', content: content as ProvidedFile['content'] & object}]),
      ).to.deep.equal({
        kind: 'unusable',
        problem: `the plugin ${PLUGIN} brings what desired state cannot hold, in the file "g": ${problem}`,
      })
  })

  it('is missed by name', () => {
    for (const extensions of [undefined, NO_EXTENSIONS])
      expect(() => openProvider({provider: 'two', options: {}, dir: '/'}, extensions)).to.throw(
        'no plugin brings the provider "two"',
      )
  })
})

describe('observers of plugins', () => {
  const event = (guests: number): RunEvent => ({type: 'run_started', atMs: 1, run: 'r', guests, actions: 1})
  const observe = (runs: Observer[], timeoutMs?: number): Observers =>
    new Observers({observers: runs.map((run, i) => extension(run, `o${i}`))}, '/srv', timeoutMs)

  it('are told of every event in its order, however slow they are', async () => {
    const told: unknown[] = []
    const slow: Observer = async (seen) => {
      await Promise.resolve()
      told.push(seen)
    }
    const observers = observe([slow])
    for (const guests of [1, 2, 3]) observers.tell(event(guests))
    expect(await observers.settle()).to.equal(undefined)
    expect(told).to.deep.equal([event(1), event(2), event(3)])
    expect(observers.failed.aborted).to.equal(false)
  })

  it('cannot change what others see', async () => {
    const seen: unknown[] = []
    const first = event(1)
    const observers = observe([(one) => void Object.assign(one, {guests: 9}), (one) => void seen.push(one)])
    observers.tell(first)
    await observers.settle()
    expect([first, ...seen]).to.deep.equal([event(1), event(1)])
  })

  for (const [title, run] of [
    ['fails', fail],
    ['hangs', hang],
  ] as const)
    it(`end the run when one ${title}, and are told nothing more`, async () => {
      let told = 0
      const count: Observer = () => {
        told++
      }
      const observers = observe([run, count], 1)
      observers.tell(event(1))
      observers.tell(event(2))
      expect((await observers.settle())?.message).to.contain(`the observer o0 of the plugin ${PLUGIN} failed`)
      expect([observers.failed.aborted, told]).to.deep.equal([true, 0])
    })
})

describe('a format of a plugin', () => {
  const plan = {summary: {actions: 1}} as unknown as PlanJson
  const render = (run: PlanFormat, timeoutMs?: number): Promise<string> =>
    renderWithPlugin('one', plan, {formats: [extension(run)]}, '/srv', timeoutMs)

  it('makes text of a copy of the plan', async () => {
    expect(await render((copy) => JSON.stringify(copy))).to.equal(JSON.stringify(plan))
    await render((copy) => {
      Object.assign(copy['summary'] as object, {actions: 2})
      return ''
    })
    expect(plan).to.deep.equal({summary: {actions: 1}})
  })

  it('fails by name when it throws, hangs or makes no text', async () => {
    for (const run of [fail, hang, () => 5 as unknown as string]) {
      const error = await rejection(render(run, 1))
      expect(error.code).to.equal('plugin_failed')
      expect(error.message).to.contain(`the format one of the plugin ${PLUGIN} failed`)
    }
  })

  it('is chosen by name, and never in place of one of felhom', () => {
    const formats = [extension<PlanFormat>(() => ''), extension<PlanFormat>(() => '', 'text')]
    expect(chooseForm('one', {formats})).to.equal(undefined)
    expect(chooseForm('text', {formats})).to.equal('text')
    expect(() => chooseForm('two', {formats: [extension<PlanFormat>(() => '')]})).to.throw('"two"')
  })
})

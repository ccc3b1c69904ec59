import {expect} from 'chai'
import {PluginNotifiers} from '../../../../../src/lib/app/daemon/tell/plugin-notifiers.ts'
import type {Alert} from '../../../../../src/lib/model/daemon.ts'
import type {AlertNotifier} from '../../../../../src/lib/plugin/contract.ts'

const alert = (key: string): Alert => ({key, text: 'it burns'}) as unknown as Alert

describe('notifiers of plugins', () => {
  const open = (
    runs: AlertNotifier[],
    timeoutMs?: number,
  ): {notifiers: PluginNotifiers; warned: string[]} => {
    const warned: string[] = []
    const all = runs.map((run, i) => ({plugin: 'felhom-plugin-x', name: `n${i}`, run}))
    const warn = (text: string): void => void warned.push(text)
    return {notifiers: new PluginNotifiers({notifiers: all}, '/srv', warn, timeoutMs), warned}
  }

  it('are told of every alert in its order, each of a copy', async () => {
    const told: string[] = []
    const spoil: AlertNotifier = (one) => void Object.assign(one, {key: 'spoilt'})
    const {notifiers, warned} = open([spoil, async ({key}) => void told.push(await Promise.resolve(key))])
    for (const key of ['a', 'b', 'c']) notifiers.tell(alert(key))
    await notifiers.close()
    expect(told).to.deep.equal(['a', 'b', 'c'])
    expect(warned).to.deep.equal([])
  })

  it('are named in the log when they fail or hang, and the others are told all the same', async () => {
    const fail: AlertNotifier = () => Promise.reject(new Error('no luck'))
    const hang: AlertNotifier = () => new Promise(() => undefined)
    let hear: (key: string) => void = () => undefined
    const heard = new Promise<string>((resolve) => (hear = resolve))
    const listen: AlertNotifier = ({key}) => {
      hear(key)
    }
    const {notifiers, warned} = open([fail, hang, listen], 1)
    notifiers.tell(alert('a'))
    expect(await heard).to.equal('a')
    await notifiers.close()
    expect(warned).to.deep.equal([
      'the notifier n0 of the plugin felhom-plugin-x failed: no luck',
      'the notifier n1 of the plugin felhom-plugin-x failed: it did not answer within 0.001 s',
    ])
  })

  it('do not hold up the end for as many time-outs as there are alerts', async () => {
    const {notifiers, warned} = open([() => new Promise(() => undefined)], 50)
    for (let i = 0; i < 1000; i++) notifiers.tell(alert(String(i)))
    notifiers.tell(alert('one too many'))
    await notifiers.close()
    expect(warned[0]).to.contain('the notifier n0 of the plugin felhom-plugin-x is too slow')
    expect(warned.at(-1)).to.match(/alerts were not told to plugins before the end/)
    expect(warned.length).to.be.lessThan(10)
  })
})

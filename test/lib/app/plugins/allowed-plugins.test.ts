import {expect} from 'chai'
import {describeLeftOut, refuseOtherPlugins} from '../../../../src/lib/app/plugins/allowed-plugins.ts'

describe('plugins.allow of a daemon that runs', () => {
  it('may be in another order, or name one twice', () => {
    refuseOtherPlugins([], [])
    refuseOtherPlugins(['a', 'b'], ['b', 'a', 'b'])
  })

  it('may name neither more nor fewer', () => {
    const cases: [string[], string[], string][] = [
      [[], ['a'], '(+a)'],
      [['a'], [], '(-a)'],
      [['a'], ['b'], '(+b, -a)'],
    ]
    for (const [loaded, allow, changes] of cases)
      expect(() => {
        refuseOtherPlugins(loaded, allow)
      }).to.throw(
        `plugins.allow has changed ${changes}, and plugins are loaded only when the daemon starts: restart it`,
      )
  })

  it('is told of with what it leaves out', () => {
    expect(describeLeftOut([], [])).to.equal(undefined)
    expect(describeLeftOut(['a'], ['a'])).to.equal(undefined)
    expect(describeLeftOut(['b', 'a', 'c'], ['c'])).to.equal(
      'installed, but not loaded, because plugins.allow does not name them: a, b',
    )
    expect(describeLeftOut(['a'], [])).to.contain('does not name it: a')
  })
})

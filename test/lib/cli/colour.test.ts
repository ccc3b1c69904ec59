import {expect} from 'chai'
import {settleColour, wantsColour} from '../../../src/lib/cli/colour.ts'

describe('colour', () => {
  const RULES: [env: NodeJS.ProcessEnv, onTerminal: boolean, onPipe: boolean][] = [
    [{}, true, false],
    [{TERM: 'xterm-256color'}, true, false],
    [{TERM: 'dumb'}, false, false],
    [{CI: 'true'}, false, false],
    [{CI: ''}, true, false],
    [{NO_COLOR: '1'}, false, false],
    [{NO_COLOR: ''}, true, false],
    [{FORCE_COLOR: '1'}, true, true],
    [{FORCE_COLOR: '3'}, true, true],
    [{FORCE_COLOR: 'true'}, true, true],
    [{FORCE_COLOR: ''}, true, false],
    [{FORCE_COLOR: '0'}, false, false],
    [{FORCE_COLOR: 'false'}, false, false],
    [{FORCE_COLOR: '1', NO_COLOR: '1'}, false, false],
    [{FORCE_COLOR: '1', TERM: 'dumb'}, true, true],
    [{FORCE_COLOR: '1', CI: 'true'}, true, true],
    [{FORCE_COLOR: '0', CI: 'true'}, false, false],
  ]
  for (const [env, onTerminal, onPipe] of RULES) {
    const shown = (on: boolean): string => (on ? 'on' : 'off')
    it(`is ${shown(onTerminal)} on a terminal and ${shown(onPipe)} on a pipe with ${JSON.stringify(env)}`, () => {
      expect(wantsColour(env, true)).to.equal(onTerminal)
      expect(wantsColour(env, false)).to.equal(onPipe)
    })

    it(`is settled for libraries in one way with ${JSON.stringify(env)}`, () => {
      for (const isTerminal of [true, false]) {
        const settled = {...env}
        settleColour(settled, isTerminal)
        const wanted = wantsColour(env, isTerminal)
        expect('NO_COLOR' in settled).to.equal(!wanted)
        expect('FORCE_COLOR' in settled).to.equal(wanted)
        expect(wantsColour(settled, !isTerminal)).to.equal(wanted)
      }
    })
  }

  it('keeps the depth of colour that was asked for', () => {
    const env: NodeJS.ProcessEnv = {FORCE_COLOR: '3'}
    settleColour(env, true)
    expect(env['FORCE_COLOR']).to.equal('3')
  })
})

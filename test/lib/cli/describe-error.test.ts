import {Errors} from '@oclif/core'
import {expect} from 'chai'
import {describeError, exitCodeFor, silentExitCode} from '../../../src/lib/cli/describe-error.ts'
import {DiagnosticsError} from '../../../src/lib/model/diagnostics-error.ts'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'

/** As a plugin with its own copy of oclif throws it: the same shape, another class. */
const foreign = (message: string, exit = 2): Error => Object.assign(new Error(message), {oclif: {exit}})

describe('an error on its way out', () => {
  it('keeps the code, the hint and the doubt of our own errors', () => {
    const error = new FelhomError('timeout', 'too slow', {hint: 'wait', doubt: 'who knows', cause: 'x'})
    expect(describeError(error)).to.deep.equal({
      code: 'timeout',
      message: 'too slow',
      hint: 'wait',
      doubt: 'who knows',
    })
    expect(exitCodeFor(error)).to.equal(6)
  })

  it('carries the diagnostics along', () => {
    const diagnostics = [{code: 'x', file: 'f', message: 'm'}]
    const error = new DiagnosticsError('settings_invalid', 'wrong', diagnostics)
    expect(describeError(error).diagnostics).to.deep.equal(diagnostics)
    expect(exitCodeFor(error)).to.equal(65)
  })

  it('is wrong usage if oclif threw it, whichever copy of oclif and whatever number it wants', () => {
    for (const error of [new Errors.CLIError('no', {exit: 1}), foreign('no')]) {
      expect(exitCodeFor(error)).to.equal(64)
      expect(describeError(error)).to.deep.equal({
        code: 'usage',
        message: 'no',
        hint: 'See more with --help.',
      })
    }
  })

  it('loses the tabs, colours and help lines of oclif', () => {
    const message = (text: string): string => describeError(foreign(text)).message
    expect(
      message('Parsing --port \n\tExpected an integer but received: a\nSee more help with --help'),
    ).to.equal('--port: expected an integer but received: a')
    expect(message('The following error occurred:\n  \u001b[2m--a needs --b\u001b[22m')).to.equal(
      'The following error occurred:\n--a needs --b',
    )
  })

  it('is a bug of ours if it is anything else, a part of the program that cannot be loaded too', () => {
    const missing = Object.assign(foreign('no module'), {code: 'MODULE_NOT_FOUND'})
    for (const error of [new TypeError('x is not a function'), missing, 'a text', undefined]) {
      expect(exitCodeFor(error)).to.equal(1)
      expect(describeError(error).code).to.equal('unexpected')
    }
    expect(describeError(new TypeError('x')).message).to.equal('TypeError: x')
  })

  it('ends silently where oclif only wants to exit', () => {
    expect(silentExitCode(new Errors.ExitError(3))).to.equal(3)
    expect(silentExitCode(Object.assign(foreign('', 0), {code: 'EEXIT'}))).to.equal(0)
    expect(silentExitCode(foreign('x'))).to.equal(undefined)
    expect(silentExitCode(new FelhomError('usage', 'x'))).to.equal(undefined)
  })
})

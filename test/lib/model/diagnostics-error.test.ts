import {expect} from 'chai'
import {DiagnosticsError} from '../../../src/lib/model/diagnostics-error.ts'
import {FelhomError, isFelhomError} from '../../../src/lib/model/felhom-error.ts'

describe('an error of ours', () => {
  it('is known by its code', () => {
    const error = new FelhomError('timeout', 'slow')
    expect(isFelhomError(error)).to.equal(true)
    expect(isFelhomError(error, 'timeout', 'unreachable')).to.equal(true)
    expect(isFelhomError(error, 'unreachable')).to.equal(false)
    expect(isFelhomError(new Error('timeout'), 'timeout')).to.equal(false)
    expect(isFelhomError(undefined)).to.equal(false)
  })

  it('has a cause only when it was given one', () => {
    expect('cause' in new FelhomError('timeout', 'slow')).to.equal(false)
    expect(new FelhomError('timeout', 'slow', {cause: 1}).cause).to.equal(1)
  })

  it('carries every mistake of a text, with what is in doubt', () => {
    const diagnostics = [{code: 'a', file: 'f', message: 'm'}]
    const error = new DiagnosticsError('desired_invalid', 'two mistakes', diagnostics, {doubt: 'none'})
    expect(isFelhomError(error, 'desired_invalid')).to.equal(true)
    expect(error).to.deep.include({diagnostics, doubt: 'none', name: 'DiagnosticsError'})
  })
})

import {expect} from 'chai'
import {mkdtempSync, rmSync, symlinkSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {readApprovalsBeside} from '../../../../src/lib/app/gate/carried-approvals.ts'
import {isFelhomError} from '../../../../src/lib/model/felhom-error.ts'

describe('approvals beside the desired state', () => {
  it('that cannot be read are told by name, and are no bug of felhom', () => {
    const dir = mkdtempSync(join(tmpdir(), 'felhom-beside-'))
    try {
      // What keeps root from reading too.
      symlinkSync('approvals', join(dir, 'approvals'))
      let thrown: unknown
      try {
        readApprovalsBeside([dir], '/')
      } catch (error) {
        thrown = error
      }
      expect(isFelhomError(thrown)).to.equal(true)
      expect(thrown).to.include({code: 'source_away'})
      expect((thrown as Error).message).to.contain(join(dir, 'approvals'))
    } finally {
      rmSync(dir, {recursive: true})
    }
  })
})

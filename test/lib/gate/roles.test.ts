import {expect} from 'chai'
import {findRole, mayRoleSign} from '../../../src/lib/gate/roles.ts'
import {SIGNED_OPERATIONS} from '../../../src/lib/model/approval.ts'

describe('roles', () => {
  it('let the operational role sign everything but a rotation of recovery keys', () => {
    for (const op of SIGNED_OPERATIONS) {
      expect(mayRoleSign('operational', op), op).to.equal(op !== 'trust.rotate_recovery')
    }
  })

  it('let the recovery role sign rotations and nothing else', () => {
    for (const op of SIGNED_OPERATIONS) {
      expect(mayRoleSign('recovery', op), op).to.equal(op.startsWith('trust.'))
    }
  })

  it('are one for all who sign, or none', () => {
    expect(findRole(['operational', 'operational'], 'guest.destroy')).to.equal('operational')
    expect(findRole(['recovery'], 'trust.rotate_operational')).to.equal('recovery')
    expect(findRole(['operational', 'recovery'], 'trust.rotate_operational')).to.equal(undefined)
    expect(findRole(['recovery', 'operational'], 'trust.rotate_operational')).to.equal(undefined)
    expect(findRole(['recovery'], 'guest.destroy')).to.equal(undefined)
    expect(findRole([], 'guest.destroy')).to.equal(undefined)
  })
})

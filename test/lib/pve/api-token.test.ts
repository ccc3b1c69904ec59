import {expect} from 'chai'
import {ApiToken} from '../../../src/lib/pve/api-token.ts'
import {CANARY, CANARY_TOKEN, expectNoCanary} from '../../support/canary.ts'

describe('an API token', () => {
  it('gives its id freely, and its secret only to the header and to whoever must keep it out of a text', () => {
    const token = ApiToken.parse(` ${CANARY_TOKEN}\n`)
    expect(token.id).to.equal('root@pam!felhom')
    expect(token.authorization()).to.equal(`PVEAPIToken=${CANARY_TOKEN}`)
    expect(token.secret()).to.equal(CANARY)
  })

  it('cannot be printed', () => {
    const token = ApiToken.parse(CANARY_TOKEN)
    expectNoCanary(token)
    expectNoCanary({nested: [token]})
    expectNoCanary(Object.assign({}, token))
  })

  it('takes its secret out of other texts', () => {
    expect(ApiToken.parse(CANARY_TOKEN).scrub(`a ${CANARY} b ${CANARY}`)).to.equal('a *** b ***')
  })

  const REFUSED = [
    '',
    CANARY,
    `root@pam=${CANARY}`,
    `root!felhom=${CANARY}`,
    'root@pam!felhom=',
    'root@pam!felhom',
    `root@pam!felhom=${CANARY} x`,
    `root@pam!felhom=${CANARY}\nX-Evil: 1`,
    `PVEAPIToken=root@pam!fel hom=${CANARY}`,
  ]
  for (const text of REFUSED) {
    it(`is refused without being repeated: ${JSON.stringify(text.replace(CANARY, '…'))}`, () => {
      try {
        ApiToken.parse(text)
        expect.fail('it was accepted')
      } catch (error) {
        expect(error).to.have.property('code', 'token_invalid')
        expectNoCanary(error)
      }
    })
  }
})

import {expect} from 'chai'
import {warnOfFrozen} from '../../../../src/lib/app/plan/plan-frozen.ts'
import {intentOf} from '../../../support/operations.ts'
import {StateDirectory} from '../../../support/state-directory.ts'

const ENDPOINT = 'https://pve1.example:8006'

describe('what a plan says of the journal beside it', () => {
  let state: StateDirectory
  beforeEach(() => {
    state = new StateDirectory({endpoint: ENDPOINT, tokenId: 'root@pam!felhom'})
  })
  afterEach(() => {
    state.remove()
  })

  const leaveOpen = (): Promise<void> =>
    state.write(async (journal) => {
      await journal.start(intentOf(1, {type: 'start'}))
    })
  const warning = (endpoint = ENDPOINT): Promise<string | undefined> =>
    warnOfFrozen({state: state.path, endpoints: [endpoint]})

  it('is nothing where there is none', async () => {
    expect(await warning()).to.equal(undefined)
  })

  it('names the guests of operations without an end', async () => {
    await leaveOpen()
    expect(await warning())
      .to.contain('frozen')
      .and.contain('lxc/101 (start)')
  })

  it('is nothing when it is about another cluster', async () => {
    await leaveOpen()
    expect(await warning('https://elsewhere.example:8006')).to.equal(undefined)
  })

  it('is that it cannot be read, which keeps nobody from planning', async () => {
    await leaveOpen()
    state.damage('00000001.log', 1)
    expect(await warning()).to.match(/^The journal cannot be read.*00000001\.log/)
  })
})

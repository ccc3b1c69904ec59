import {expect} from 'chai'
import {describeGaps, describeUnseen} from '../../../../src/lib/app/plan/describe-completeness.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'

describe('what could not be seen', () => {
  it('is nothing where all is known', () => {
    expect(describeGaps(actualCluster({guests: [actualGuest(100)]}))).to.deep.equal([])
    expect(describeGaps(actualCluster({quorum: 'standalone'}))).to.deep.equal([])
  })

  it('is told with every reason, the lost quorum, and what else could not be read', () => {
    const gaps = describeGaps(
      actualCluster({
        quorum: 'lost',
        completeness: {
          complete: false,
          reasons: [
            {code: 'node_offline', node: 'pve2', message: 'node pve2 is offline'},
            {code: 'list_filtered', message: 'the token has no VM.Audit on /vms'},
          ],
        },
        notes: ['HA membership unknown: 500'],
      }),
    )
    expect(gaps).to.deep.equal([
      'Node pve2 is offline.',
      'The token has no VM.Audit on /vms.',
      'The cluster has no quorum: it takes no changes.',
      'HA membership unknown: 500',
    ])
  })

  it('names five guests whose config is unknown and counts the rest, with few of the reasons', () => {
    const guests = Array.from({length: 8}, (_, i) =>
      actualGuest(100 + i, {config: {known: false, reason: `reason ${i % 4}`}}),
    )
    expect(describeUnseen(actualCluster({guests}))).to.deep.equal([
      'The config of lxc/100, lxc/101, lxc/102, lxc/103, lxc/104 and 3 more could not be read: reason 0; reason 1; reason 2',
    ])
  })
})

import {expect} from 'chai'
import {captureCluster} from '../../../../src/lib/app/capture/capture-cluster.ts'
import {redactCluster, SECRET_OPTIONS} from '../../../../src/lib/app/capture/redact-cluster.ts'
import {actualCluster, actualGuest} from '../../../support/actual-cluster.ts'

const secretGuest = actualGuest(100, {
  config: {
    known: true,
    current: {memory: '512', cipassword: 's1', args: 's2', description: 'kept'},
    pending: [
      {option: 'env', kind: 'set', value: 's3'},
      {option: 'memory', kind: 'set', value: '1024'},
      {option: 'sshkeys', kind: 'delete', force: false},
    ],
    digest: 'd',
  },
})

describe('a capture', () => {
  it('says what it is, when and of which version it was taken', async () => {
    const cluster = actualCluster({guests: [actualGuest(100)]})
    const capture = await captureCluster(
      {
        version: () => Promise.resolve({version: '9.1.10', release: '9.1', repoid: 'x'}),
        readCluster: () => Promise.resolve(cluster),
      },
      () => new Date(0),
    )
    expect(capture).to.deep.equal({
      felhomCapture: 1,
      takenAt: '1970-01-01T00:00:00.000Z',
      proxmox: {version: '9.1.10'},
      redacted: [],
      cluster,
    })
  })
})

describe('redaction', () => {
  it('leaves out the values of secret options, current and pending, and says which', () => {
    const {cluster, redacted} = redactCluster(actualCluster({guests: [secretGuest]}))
    expect(redacted).to.deep.equal(['args', 'cipassword', 'env'])
    expect(cluster.guests[0]?.config).to.deep.equal({
      known: true,
      current: {memory: '512', cipassword: '<redacted>', args: '<redacted>', description: 'kept'},
      pending: [
        {option: 'env', kind: 'set', value: '<redacted>'},
        {option: 'memory', kind: 'set', value: '1024'},
        {option: 'sshkeys', kind: 'delete', force: false},
      ],
      digest: 'd',
    })
    expect(JSON.stringify(cluster)).to.not.match(/s[123]/)
  })

  it('does not change what it was given, and leaves a guest without a config alone', () => {
    const before = structuredClone(secretGuest)
    const blind = actualGuest(101, {config: {known: false, reason: 'forbidden'}})
    const {cluster} = redactCluster(actualCluster({guests: [secretGuest, blind]}))
    expect(secretGuest).to.deep.equal(before)
    expect(cluster.guests[1]).to.deep.equal(blind)
  })

  it('covers every option through which a secret can come into a config', () => {
    expect([...SECRET_OPTIONS].sort()).to.deep.equal(['args', 'cipassword', 'env', 'sshkeys'])
  })
})

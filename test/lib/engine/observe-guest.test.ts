import {expect} from 'chai'
import {ClusterObserver} from '../../../src/lib/engine/observe-cluster.ts'
import {observeGuest} from '../../../src/lib/engine/observe-guest.ts'
import type {ActualCluster, ActualGuest} from '../../../src/lib/model/actual.ts'
import {FelhomError} from '../../../src/lib/model/felhom-error.ts'
import {actualCluster, actualGuest} from '../../support/actual-cluster.ts'

const ADDRESS = {kind: 'lxc', vmid: 101, node: 'pve1'} as const
const missing = new FelhomError(
  'guest_missing',
  "Configuration file 'nodes/pve1/lxc/101.conf' does not exist",
)

interface World {
  readonly there?: ActualGuest
  readonly error?: FelhomError
  readonly cluster?: ActualCluster | FelhomError
  readonly isFree?: boolean
}

async function sightIn({
  there,
  error = missing,
  cluster = actualCluster(),
  isFree = true,
}: World): Promise<string> {
  const reader = {
    readGuest: () => (there ? Promise.resolve(there) : Promise.reject(error)),
    isVmidFree: () => Promise.resolve(isFree),
    readCluster: () => (cluster instanceof FelhomError ? Promise.reject(cluster) : Promise.resolve(cluster)),
  }
  const sight = await observeGuest(reader, new ClusterObserver(reader), ADDRESS)
  if (sight.guest === 'present') return `present on ${sight.actual.node}`
  return sight.guest === 'unknown' ? `unknown: ${sight.reason}` : sight.guest
}

describe('the sight of a guest', () => {
  it('is the guest where it is expected', async () => {
    expect(await sightIn({there: actualGuest(101)})).to.equal('present on pve1')
  })

  it('is the guest where it has gone', async () => {
    const cluster = actualCluster({guests: [actualGuest(101, {node: 'pve2'})]})
    expect(await sightIn({cluster})).to.equal('present on pve2')
  })

  it('is whoever has the number now, of either kind', async () => {
    const cluster = actualCluster({guests: [actualGuest(101, {kind: 'qemu', node: 'pve3'})]})
    expect(await sightIn({cluster})).to.equal('present on pve3')
  })

  it('is absence only by a whole and quorate list, and a number that is free', async () => {
    expect(await sightIn({})).to.equal('absent')
    expect(await sightIn({cluster: actualCluster({quorum: 'standalone'})})).to.equal('absent')
  })

  const reason = {code: 'list_filtered', message: 'the token has no VM.Audit on /vms'} as const
  const doubts: Record<string, World> = {
    'the list is not whole': {
      cluster: actualCluster({completeness: {complete: false, reasons: [reason]}}),
    },
    'the quorum is lost': {cluster: actualCluster({quorum: 'lost'})},
    'the quorum is unknown': {cluster: actualCluster({quorum: 'unknown'})},
    'the number is taken by a guest that cannot be seen': {isFree: false},
    'the list cannot be read': {cluster: new FelhomError('unreachable', 'no route')},
    'the guest may not be read': {error: new FelhomError('forbidden', 'no VM.Audit')},
    'its node does not answer': {error: new FelhomError('node_unreachable', '595')},
  }
  for (const [why, world] of Object.entries(doubts)) {
    it(`is unknown when ${why}`, async () => {
      expect(await sightIn(world)).to.match(/^unknown: ./)
    })
  }
})

describe('reads of the whole cluster', () => {
  /** A reader whose reads end when the test says so. */
  function slowReader(): {reads: ((name: string) => void)[]; readCluster: () => Promise<ActualCluster>} {
    const reads: ((name: string) => void)[] = []
    const readCluster = (): Promise<ActualCluster> =>
      new Promise((resolve) => {
        reads.push((name) => {
          resolve(actualCluster({name}))
        })
      })
    return {reads, readCluster}
  }
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

  it('are shared by those who ask at the same time', async () => {
    const reader = slowReader()
    const observer = new ClusterObserver(reader)
    const both = Promise.all([observer.observe(), observer.observe()])
    await tick()
    reader.reads[0]?.('first')
    expect((await both).map(({name}) => name)).to.deep.equal(['first', 'first'])
    expect(reader.reads).to.have.lengthOf(1)
  })

  it('that had begun before somebody asked are too old for them', async () => {
    const reader = slowReader()
    const observer = new ClusterObserver(reader)
    const early = observer.observe()
    await tick()
    const late = [observer.observe(), observer.observe()]
    reader.reads[0]?.('first')
    expect((await early).name).to.equal('first')
    await tick()
    reader.reads[1]?.('second')
    expect((await Promise.all(late)).map(({name}) => name)).to.deep.equal(['second', 'second'])
    expect(reader.reads).to.have.lengthOf(2)
  })

  it('that failed do not keep the next from being made', async () => {
    let tries = 0
    const observer = new ClusterObserver({
      readCluster: () =>
        ++tries === 1 ? Promise.reject(new FelhomError('timeout', 'slow')) : Promise.resolve(actualCluster()),
    })
    const first = observer.observe().catch((error: unknown) => error)
    expect(await first).to.include({code: 'timeout'})
    expect((await observer.observe()).name).to.equal('lab')
  })
})

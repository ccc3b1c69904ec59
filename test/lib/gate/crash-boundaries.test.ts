// A process that dies at every boundary between burn, audit, `started`, request and terminal record; then another on
// the same disk, with the same approval still lying there. Whatever the point: never carried out twice, and never
// without a nonce that is burned, an audit that is kept and a record that is started.
import {expect} from 'chai'
import type {ActionOutcome} from '../../../src/lib/model/run-event.ts'
import type {DiskCall, DiskFault} from '../../../src/lib/testing/memory-disk.ts'
import {SignedDestroy} from '../../support/signed-destroy.ts'

interface Story {
  readonly hasStruck: boolean
  readonly first: ActionOutcome | 'died'
  readonly later: readonly (ActionOutcome | 'died')[]
  readonly requests: number
  readonly isThere: boolean
}

/** `strike` decides for each call to the disk whether the power fails there. */
async function tell(
  strike: (call: DiskCall) => DiskFault | undefined,
  prepare: (world: SignedDestroy) => void = () => undefined,
): Promise<Story> {
  const world = await SignedDestroy.make()
  let hasStruck = false
  world.disk.onCall = (call) => {
    const fault = strike(call)
    if (fault) hasStruck = true
    return fault
  }
  prepare(world)
  const first = await world.live()
  world.disk.onCall = undefined
  world.onNetwork = () => undefined
  world.disk.losePower()
  const later = [await world.live(), await world.live()]
  for (const {nonce, audited, hasStarted} of world.sent) {
    expect(nonce, 'a request left without a burned nonce').to.equal('burned')
    expect(audited, 'a request left without its audit').to.be.greaterThan(0)
    expect(hasStarted, 'a request left without a record under its key').to.equal(true)
  }
  expect(world.requests(), 'it was sent twice').to.be.lessThan(2)
  return {hasStruck, first, later, requests: world.requests(), isThere: await world.isThere()}
}

describe('a signed destruction', () => {
  it('is carried out once, and the same approval again is refused', async () => {
    const story = await tell(() => undefined)
    expect(story).to.include({first: 'succeeded', requests: 1, isThere: false})
  })

  for (const when of ['before', 'after'] as const) {
    it(`interrupted ${when} each call to the disk is sent at most once, and never without its nonce burned`, async () => {
      const endings = new Map<string, number>()
      for (let nth = 0; ; nth++) {
        let calls = 0
        const story = await tell(() => (calls++ === nth ? {crash: when} : undefined))
        if (!story.hasStruck) break
        const {requests, isThere, later} = story
        expect(isThere, `call ${nth}: sent and still there, or gone and never sent`).to.equal(requests === 0)
        const ending = requests === 1 ? 'carried out' : (later.at(-1) ?? '')
        endings.set(ending, (endings.get(ending) ?? 0) + 1)
      }
      expect(endings.get('carried out'), 'before the burn a later process carries it out').to.be.greaterThan(
        2,
      )
      expect(
        endings.get('refused'),
        'after the burn and before the record it is abandoned',
      ).to.be.greaterThan(0)
    })
  }

  it('whose process dies between the burn and the audit is abandoned', async () => {
    let burned = false
    const story = await tell(({name, path}) => {
      if (name === 'write' && path.includes('/audit/') && burned) return {crash: 'before'}
      if (name === 'datasync' && path.includes('/nonces/')) burned = true
      return undefined
    })
    expect(story).to.include({hasStruck: true, requests: 0, isThere: true})
    expect(story.later).to.deep.equal(['refused', 'refused'])
  })

  it('whose process dies between the audit and the record is abandoned', async () => {
    let burned = false
    let audited = false
    const story = await tell(({name, path}) => {
      if (name === 'write' && path.includes('/journal/') && audited) return {crash: 'before'}
      if (name === 'datasync' && path.includes('/nonces/')) burned = true
      if (name === 'datasync' && path.includes('/audit/')) audited = burned
      return undefined
    })
    expect(story).to.include({hasStruck: true, requests: 0, isThere: true})
    expect(story.later).to.deep.equal(['refused', 'refused'])
  })

  it('whose process dies after the record and before the request is never sent', async () => {
    const story = await tell(
      () => undefined,
      (world) => {
        world.onNetwork = (when) => {
          if (when === 'before') throw new Error('the process is gone')
        }
      },
    )
    expect(story).to.include({requests: 0, isThere: true})
    expect(story.later).to.not.include('succeeded')
  })

  it('whose process dies after the request and before the answer is sent once', async () => {
    const story = await tell(
      () => undefined,
      (world) => {
        world.onNetwork = (when) => {
          if (when === 'before') return
          world.disk.onCall = () => ({crash: 'before'})
        }
      },
    )
    expect(story).to.include({requests: 1, isThere: false})
  })

  it('whose terminal record is lost is sent once', async () => {
    let isSent = false
    const story = await tell(
      ({name}) => (isSent && name === 'datasync' ? {crash: 'before'} : undefined),
      (world) => {
        world.onNetwork = (when) => {
          if (when === 'after') isSent = true
        }
      },
    )
    expect(story).to.include({hasStruck: true, requests: 1, isThere: false})
  })

  it('on a disk that is full at a write or fails at a sync, each in turn, is sent at most once', async () => {
    for (let nth = 0; ; nth++) {
      let calls = 0
      const story = await tell(({name}) => {
        if (name !== 'write' && name !== 'datasync') return undefined
        return calls++ === nth ? {error: name === 'write' ? 'ENOSPC' : 'EIO'} : undefined
      })
      if (!story.hasStruck) break
    }
  })
})

import {expect} from 'chai'
import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {acceptSource} from '../../../../src/lib/app/source/accept-source.ts'
import {lookAtSource} from '../../../../src/lib/app/source/look-at-source.ts'
import type {UpkeepRequest} from '../../../../src/lib/app/journal/journal-upkeep.ts'
import {listAudit} from '../../../../src/lib/app/gate/gate-audit.ts'
import {FilesSource} from '../../../../src/lib/source/files-source.ts'
import {makePalette} from '../../../../src/lib/report/palette.ts'
import {encodeSource, renderSource} from '../../../../src/lib/report/source-text.ts'
import type {Settings} from '../../../../src/lib/settings/settings.ts'
import {rejection} from '../../../support/reject.ts'
import {deliver, guestsYaml, SourceLab, vmidsIn} from '../../../support/source-lab.ts'

describe('a refused revision of the source', () => {
  let lab: SourceLab
  beforeEach(() => (lab = new SourceLab()))
  afterEach(() => lab.remove())

  const request = (): UpkeepRequest => ({
    settings: {state: lab.state},
    holder: 'a test',
    lockTimeoutMs: 1000,
    signal: new AbortController().signal,
    warn: (text) => {
      throw new Error(text)
    },
    onLocked: () => undefined,
  })
  const settings = (): Settings => ({state: lab.state, desired: {paths: [lab.dir]}}) as unknown as Settings
  const show = (): string =>
    renderSource(lookAtSource(settings(), lab.root), {
      palette: makePalette(false),
      width: 78,
      nowMs: lab.nowMs,
    })

  it('is shown with its reason, accepted by name, audited, and used at the next pass', async () => {
    lab.write('a.yaml', guestsYaml(101, 102, 103))
    const source = new FilesSource([lab.dir], lab.root)
    const keeper = lab.keeper(source)
    await deliver(keeper)
    lab.write('a.yaml', guestsYaml(101))
    lab.nowMs += 3 * 3_600_000
    const {standing} = await deliver(keeper)
    const {refusedRevision = ''} = standing
    expect(show().replaceAll(/\s+/g, ' ')).to.include(
      'it has lost 2 of 3 guests at once (102, 103), and max_shrink allows 20 %',
    )
    expect(show())
      .to.match(/3 h ago/)
      .and.include(`felhom source accept ${refusedRevision.slice(7, 23)}`)
    const accepted = await acceptSource(
      request(),
      refusedRevision.slice('sha256:'.length, 'sha256:'.length + 8),
    )
    expect(accepted.revision).to.equal(refusedRevision)
    expect(encodeSource(lookAtSource(settings(), lab.root))).to.include({
      state: 'refused',
      guests: 3,
      refused_revision: refusedRevision,
      accepted_revision: refusedRevision,
    })
    const {records} = await listAudit({state: lab.state}, 10)
    expect(records[0]).to.include({type: 'source_accepted', revision: refusedRevision, place: lab.dir})
    expect(vmidsIn(await deliver(lab.keeper(source)))).to.deep.equal([101])
    expect(encodeSource(lookAtSource(settings(), lab.root))).to.include({
      state: 'fresh',
      guests: 1,
      refused_revision: null,
      accepted_revision: null,
    })
  })

  it('is the only one that can be accepted', async () => {
    const state = join(lab.root, 'no-state-yet')
    const nothing = await rejection(acceptSource({...request(), settings: {state}}, 'x'.repeat(40)))
    expect(String(nothing)).to.include('nothing that the source says waits to be accepted')
    expect(existsSync(state)).to.equal(false)
    const revision = `sha256:${'ab'.repeat(32)}`
    lab.store.writeNote({
      standing: {kind: 'https', place: 'hub', state: 'refused', refusedRevision: revision},
    })
    for (const name of ['', 'ab', 'sha256:', 'abababa', 'sha256:abab', 'cdcdcdcd', `${revision}0`])
      expect(String(await rejection(acceptSource(request(), name))), name).to.include(
        'is not what was refused',
      )
    expect(lab.store.readAccepted()).to.deep.equal({})
  })

  it('is told as never asked, damaged or none where that is so', () => {
    expect(show()).to.include('never asked')
    expect(
      renderSource(
        {kind: 'none', place: '', problems: []},
        {palette: makePalette(false), width: 78, nowMs: 0},
      ),
    ).to.match(/^No desired state is named/)
    const view = {...lookAtSource(settings(), lab.root), problems: ['kept.json \u001b[2J']}
    const text = renderSource(view, {palette: makePalette(false), width: 78, nowMs: 0})
    expect(text).to.include(String.raw`kept.json \x1b[2J`)
  })
})

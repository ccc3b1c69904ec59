import {expect} from 'chai'
import fc from 'fast-check'
import {createHash} from 'node:crypto'
import {chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {makeSourceKeeper} from '../../../../../src/lib/app/daemon/source/keep-source.ts'
import {FilesSource} from '../../../../../src/lib/source/files-source.ts'
import type {Fetched} from '../../../../../src/lib/source/source.ts'
import type {SourceMemory} from '../../../../../src/lib/source/source-memory.ts'
import {KeptSourceFiles} from '../../../../../src/lib/store/kept-source.ts'
import {
  bundleOf,
  deliver,
  guestsYaml,
  says,
  ScriptedSource,
  SourceLab,
  vmidsIn,
} from '../../../../support/source-lab.ts'

const AWAY: Fetched = {kind: 'away', problem: 'no route to host'}

describe('keep-source', () => {
  let lab: SourceLab
  beforeEach(() => (lab = new SourceLab()))
  afterEach(() => lab.remove())

  const kept = (name: string): string => join(lab.state, 'source', name)

  it('takes any first state, and says when the source last vouched for it', async () => {
    const keeper = lab.keeper(new ScriptedSource().say(says('r1', 101, 102), {kind: 'unchanged'}))
    const first = await deliver(keeper)
    expect(vmidsIn(first)).to.deep.equal([101, 102])
    expect(first.standing).to.deep.equal({
      kind: 'https',
      place: 'https://hub.example/guests',
      state: 'fresh',
      revision: 'r1',
      goodAtMs: lab.nowMs,
    })
    lab.nowMs += 60_000
    expect((await deliver(keeper)).standing.goodAtMs).to.equal(lab.nowMs)
    const vouchedMs = lab.nowMs
    lab.nowMs += 60_000
    const restarted = await deliver(lab.keeper(new ScriptedSource().say(AWAY)))
    expect(restarted.standing).to.include({state: 'away', goodAtMs: vouchedMs})
  })

  it('shows progress with each turn of a long reading, and none afterwards', async () => {
    const bytes = Buffer.from(`felhom: 1\n#${'x'.repeat(200_000)}\n`)
    const texts = ['a', 'b', 'c', 'd'].map((name) => ({file: `${name}.yaml`, dir: '', bytes}))
    let steps = 0
    const keeper = makeSourceKeeper({
      source: new ScriptedSource().say({kind: 'bundle', bundle: bundleOf('r1', '', {texts})}),
      store: lab.store,
      maxShrink: 0.2,
      secretsDir: lab.secrets,
      clock: {now: () => lab.nowMs},
      progress: () => steps++,
    })
    await keeper.ask(new AbortController().signal)
    expect(steps).to.equal(texts.length - 1)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(steps).to.equal(texts.length - 1)
  })

  it('grows old from then on when a clock that was years ahead is put right', async () => {
    const rightMs = lab.nowMs
    lab.nowMs += 3650 * 86_400_000
    const keeper = lab.keeper(new ScriptedSource().say(says('r1', 101), AWAY))
    await deliver(keeper)
    lab.nowMs = rightMs
    for (const passedMs of [0, 60_000]) {
      lab.nowMs = rightMs + passedMs
      expect((await deliver(keeper)).standing).to.include({state: 'away', goodAtMs: rightMs})
    }
    expect((await deliver(lab.keeper(new ScriptedSource().say(AWAY)))).standing.goodAtMs).to.equal(rightMs)
  })

  it('is as old as it was when a clock that was years behind for a pass is put right', async () => {
    const vouchedMs = lab.nowMs
    await deliver(lab.keeper(new ScriptedSource().say(says('r1', 101))))
    const keeper = lab.keeper(new ScriptedSource().say(AWAY))
    lab.nowMs = Date.UTC(2020, 0, 1)
    expect((await deliver(keeper)).standing.goodAtMs).to.equal(lab.nowMs)
    lab.nowMs = vouchedMs + 60_000
    expect((await deliver(keeper)).standing.goodAtMs).to.equal(vouchedMs)
    expect(lab.store.readNote().value?.good).not.to.have.property('setBackToMs')
  })

  it('notices a roll back between two answers, when its own copy is lost', async () => {
    const bundle = {...bundleOf('r7', guestsYaml(101)), serial: 7}
    const old = {...bundleOf('r5', guestsYaml(101)), serial: 5}
    await deliver(lab.keeper(new ScriptedSource().say({kind: 'bundle', bundle})))
    writeFileSync(kept('kept.json'), 'x')
    const source = new ScriptedSource().say(
      {kind: 'unchanged'},
      {kind: 'bundle', bundle: old},
      {kind: 'bundle', bundle: old, older: 'its serial is 5, and 7 was seen'},
    )
    const {standing, desired} = await deliver(lab.keeper(source))
    expect(standing).to.include({state: 'refused', refusedRevision: 'r5'})
    expect(desired).to.equal(undefined)
  })

  it('has nothing to deliver where no source is set, and is content', async () => {
    const {standing, desired} = await deliver(lab.keeper(undefined))
    expect(standing).to.deep.equal({kind: 'none', place: '', state: 'fresh'})
    expect(desired).to.equal(undefined)
  })

  it('delivers nothing while a source that was never good is away', async () => {
    const {standing, desired} = await deliver(lab.keeper(new ScriptedSource().say(AWAY)))
    expect(desired).to.equal(undefined)
    expect(standing).to.include({state: 'away', problem: 'no route to host'})
    expect(standing).to.not.have.property('goodAtMs')
  })

  it('uses the last good state with its approvals and jobs while the source is away, after a restart too', async () => {
    const approvals = [{name: 'approvals/a.json', bytes: Uint8Array.of(0, 255, 10)}]
    const jobs = [{name: 'jobs/j.json', bytes: Buffer.from('{"v":1}')}]
    const bundle = bundleOf('r1', guestsYaml(101), {approvals, jobs})
    await deliver(lab.keeper(new ScriptedSource().say({kind: 'bundle', bundle})))
    const goodAtMs = lab.nowMs
    lab.nowMs += 3_600_000
    const {standing, ...rest} = await deliver(lab.keeper(new ScriptedSource().say(AWAY)))
    expect(standing).to.include({state: 'away', revision: 'r1', goodAtMs, problem: 'no route to host'})
    expect(rest.desired?.guests.map(({vmid}) => vmid)).to.deep.equal([101])
    expect(rest.approvals.map(({bytes}) => [...bytes])).to.deep.equal([[0, 255, 10]])
    expect(rest.jobs.map(({name, bytes}) => [name, Buffer.from(bytes).toString()])).to.deep.equal([
      ['jobs/j.json', '{"v":1}'],
    ])
  })

  it('refuses mistakes, names the first with its place, and goes on with what was good', async () => {
    const bad = bundleOf('r2', 'felhom: 1\nguests:\n  101: {kind: lxc, config: {memroy: 1}}\n  1: {}\n')
    const keeper = lab.keeper(new ScriptedSource().say(says('r1', 101), {kind: 'bundle', bundle: bad}))
    await deliver(keeper)
    const delivery = await deliver(keeper)
    expect(vmidsIn(delivery)).to.deep.equal([101])
    expect(delivery.standing).to.include({state: 'refused', revision: 'r1'})
    expect(delivery.standing.problem).to.match(
      /^it holds 2 mistakes, the first at guests\.yaml:3:\d+: .*memroy/,
    )
    expect(delivery.standing).to.not.have.property('refusedRevision')
  })

  it('refuses a source that has lost more than its share, and empties', async () => {
    const source = new ScriptedSource().say(says('r1', 101, 102, 103, 104, 105), says('r2', 101, 102, 103))
    const keeper = lab.keeper(source)
    await deliver(keeper)
    const delivery = await deliver(keeper)
    expect(vmidsIn(delivery)).to.deep.equal([101, 102, 103, 104, 105])
    expect(delivery.standing).to.deep.include({
      state: 'refused',
      revision: 'r1',
      refusedRevision: 'r2',
      problem: 'it has lost 2 of 5 guests at once (104, 105), and max_shrink allows 20 %',
    })
    source.say(says('r3'))
    expect((await deliver(keeper)).standing).to.include({state: 'refused', refusedRevision: 'r3'})
  })

  it('takes growth, exchange within the share, and guests that shall be absent', async () => {
    const keeper = lab.keeper(
      new ScriptedSource().say(
        says('r1', 101, 102, 103, 104, 105),
        says('r2', 102, 103, 104, 105, 106, 107),
        {
          kind: 'bundle',
          bundle: bundleOf(
            'r3',
            `felhom: 1\nguests:\n${[102, 103, 104, 105, 106, 107].map((v) => `  ${v}: {kind: lxc, ensure: absent}\n`).join('')}`,
          ),
        },
        says('r4'),
      ),
    )
    for (const revision of ['r1', 'r2', 'r3', 'r4'])
      expect((await deliver(keeper)).standing).to.include({state: 'fresh', revision})
  })

  it('compares with the last good state of another source too, but uses nothing of it', async () => {
    await deliver(lab.keeper(new ScriptedSource('files', '/srv/guests').say(says('r1', 101, 102, 103))))
    const git = new ScriptedSource('git', 'git.example').say(AWAY, says('c1', 101))
    const keeper = lab.keeper(git)
    expect(await deliver(keeper)).to.not.have.property('desired')
    const delivery = await deliver(keeper)
    expect(delivery).to.not.have.property('desired')
    expect(delivery.standing).to.include({state: 'refused', refusedRevision: 'c1'})
    expect(git.asked).to.deep.equal([undefined, undefined])
  })

  describe('a source that does not show all of its place', () => {
    const hub = (mark: string): ScriptedSource => new ScriptedSource('https', 'https://hub/x?…', mark)
    const rewrite = (name: string, change: (text: string) => string): void => {
      writeFileSync(kept(name), change(readFileSync(kept(name), 'utf8')))
    }
    /** As a felhom wrote it that knew no marks. */
    const forgetMarks = (): void => {
      rewrite('standing.json', (text) => text.replaceAll('"mark":"one",', ''))
      const {kept: all} = JSON.parse(readFileSync(kept('kept.json'), 'utf8')) as {kept: {mark?: string}}
      delete all.mark
      const sha256 = createHash('sha256').update(JSON.stringify(all)).digest('hex')
      rewrite('kept.json', () => JSON.stringify({felhom_source: 1, sha256, kept: all}))
    }
    const usedBy = async (source: ScriptedSource): Promise<number[] | undefined> =>
      vmidsIn(await deliver(lab.keeper(source)))
    beforeEach(() => deliver(lab.keeper(hub('one').say(says('r1', 101)))))

    it('is told from another by its mark, which is in no standing', async () => {
      expect(await usedBy(hub('one').say(AWAY))).to.deep.equal([101])
      expect(lab.store.readNote().value?.standing).not.to.have.property('mark')
      expect(await usedBy(hub('two').say(AWAY))).to.equal(undefined)
    })

    it('uses what was kept before there were marks, and marks it when it is vouched for', async () => {
      forgetMarks()
      expect(await usedBy(hub('one').say(AWAY))).to.deep.equal([101])
      expect(await usedBy(hub('one').say({kind: 'unchanged'}))).to.deep.equal([101])
      expect(await usedBy(hub('one').say(AWAY))).to.deep.equal([101])
      expect(await usedBy(hub('two').say(AWAY))).to.equal(undefined)
    })
  })

  it('refuses what the source itself shows to be older', async () => {
    const source = new ScriptedSource().say(says('r2', 101), {
      kind: 'bundle',
      bundle: bundleOf('r1', guestsYaml(101)),
      older: 'serial 1 after 2',
    })
    const keeper = lab.keeper(source)
    await deliver(keeper)
    const {standing} = await deliver(keeper)
    expect(standing).to.include({state: 'refused', revision: 'r2', refusedRevision: 'r1'})
    expect(standing.problem).to.equal('it was rolled back: serial 1 after 2')
    expect(source.asked[1]).to.deep.equal({revision: 'r2'})
  })

  it('lets the operator accept exactly the refused revision, once', async () => {
    const source = new ScriptedSource().say(says('r1', 101, 102), says('r2', 101))
    const keeper = lab.keeper(source)
    await deliver(keeper)
    await deliver(keeper)
    lab.store.writeAccepted('r2')
    source.say(says('r3', 101))
    expect((await deliver(keeper)).standing.state).to.equal('refused')
    source.say(says('r2', 101))
    expect((await deliver(keeper)).standing.state, 'spent by r3').to.equal('refused')
    lab.store.writeAccepted('r2')
    const accepted = await deliver(keeper)
    expect(accepted.standing).to.include({state: 'fresh', revision: 'r2'})
    expect(lab.store.readAccepted()).to.deep.equal({})
  })

  it('keeps the word of the operator while the source is away', async () => {
    const keeper = lab.keeper(new ScriptedSource().say(says('r1', 101, 102), AWAY, says('r2', 101)))
    await deliver(keeper)
    lab.store.writeAccepted('r2')
    await deliver(keeper)
    expect((await deliver(keeper)).standing).to.include({state: 'fresh', revision: 'r2'})
  })

  it('does not let the operator accept what is no desired state', async () => {
    const bad: Fetched = {kind: 'bundle', bundle: bundleOf('r2', 'felhom: 2\n')}
    lab.store.writeAccepted('r2')
    const {standing, desired} = await deliver(lab.keeper(new ScriptedSource().say(bad)))
    expect(standing.state).to.equal('refused')
    expect(desired).to.equal(undefined)
  })

  it('tells that the kept file is damaged, and still knows which guests there were', async () => {
    await deliver(lab.keeper(new ScriptedSource().say(says('r1', 101, 102, 103))))
    const text = readFileSync(kept('kept.json'), 'utf8')
    writeFileSync(kept('kept.json'), text.replace('"revision":"r1"', '"revision":"r0"'))
    const source = new ScriptedSource().say(AWAY)
    const away = await deliver(lab.keeper(source))
    expect(away).to.not.have.property('desired')
    expect(away.standing.problem).to.match(
      /^no route to host; the last good state is lost: .*not as it was written/,
    )
    source.say(says('r2', 101))
    expect((await deliver(lab.keeper(source))).standing).to.include({state: 'refused', refusedRevision: 'r2'})
    source.say({kind: 'unchanged'}, says('r1', 101, 102, 103))
    const back = await deliver(lab.keeper(source))
    expect(vmidsIn(back)).to.deep.equal([101, 102, 103])
    expect(back.standing.state).to.equal('fresh')
    expect(back.standing.problem).to.include('the last good state is lost')
    expect(source.asked.slice(-2)).to.deep.equal([{revision: 'r1'}, undefined])
  })

  it('survives the loss of any prefix of its files', async () => {
    await deliver(lab.keeper(new ScriptedSource().say(says('r1', 101))))
    for (const name of ['kept.json', 'standing.json']) {
      const whole = readFileSync(kept(name))
      for (let length = 0; length < whole.length - 1; length += 1 + Math.floor(whole.length / 10)) {
        writeFileSync(kept(name), whole.subarray(0, length))
        const delivery = await deliver(lab.keeper(new ScriptedSource().say(AWAY)))
        expect(delivery.standing.state).to.equal('away')
        if (name === 'kept.json') expect(delivery).to.not.have.property('desired')
        else expect(vmidsIn(delivery)).to.deep.equal([101])
        expect(delivery.standing.problem).to.include(name)
        writeFileSync(kept(name), whole)
      }
    }
  })

  it('believes no kept file that others may change, and no link', async () => {
    await deliver(lab.keeper(new ScriptedSource().say(says('r1', 101))))
    expect(statSync(kept('kept.json')).mode & 0o777).to.equal(0o600)
    expect(statSync(kept('')).mode & 0o777).to.equal(0o700)
    chmodSync(kept('kept.json'), 0o666)
    const loose = await deliver(lab.keeper(new ScriptedSource().say(AWAY)))
    expect(loose).to.not.have.property('desired')
    expect(loose.standing.problem).to.match(/others may read or change it \(chmod 600 /)
    const other = new KeptSourceFiles(lab.dir)
    other.open()
    symlinkSync(kept('kept.json'), join(other.dir, 'kept.json'))
    expect(other.readKept().problem).to.match(/kept\.json cannot be used/)
    chmodSync(kept(''), 0o777)
    expect(() => lab.store.writeNote({standing: loose.standing})).to.throw(/others may read or change it/)
  })

  it('leaves what was kept as it was when the disk is full', async () => {
    const keeper = lab.keeper(new ScriptedSource().say(says('r1', 101), says('r2', 101)))
    await deliver(keeper)
    lab.store.writeKept = () => {
      throw new Error('ENOSPC')
    }
    await keeper.ask(new AbortController().signal)
    let problem: unknown
    await keeper.settle().catch((error: unknown) => (problem = error))
    expect(String(problem)).to.include('ENOSPC')
    expect(new KeptSourceFiles(lab.state).readKept().value?.revision).to.equal('r1')
  })

  it('holds to what another daemon on the same directory has kept meanwhile', async () => {
    const [mine, other] = [new ScriptedSource().say(says('r1', 101)), new ScriptedSource()]
    const keeper = lab.keeper(mine)
    await deliver(keeper)
    mine.say(says('r2', 101))
    await keeper.ask(new AbortController().signal)
    await deliver(lab.keeper(other.say(says('r3', 101, 102))))
    const delivery = await keeper.settle()
    expect(vmidsIn(delivery)).to.deep.equal([101, 102])
    expect(delivery.standing).to.include({state: 'fresh', revision: 'r3'})
  })

  it('ends when it is aborted, and answers from the last good state when it was not asked', async () => {
    const keeper = lab.keeper(new FilesSource([lab.dir], lab.root))
    lab.write('a.yaml', guestsYaml(101))
    await deliver(keeper)
    let thrown: unknown
    await keeper.ask(AbortSignal.abort(new Error('told to end'))).catch((error: unknown) => (thrown = error))
    expect(String(thrown)).to.include('told to end')
    const delivery = await keeper.settle()
    expect(delivery.standing).to.include({state: 'away', problem: 'it was not asked'})
    expect(vmidsIn(delivery)).to.deep.equal([101])
  })

  it('never delivers what has lost more than the share, whatever the source says and however often it flaps', async () => {
    const vmids = fc.subarray(Array.from({length: 12}, (_, i) => 101 + i))
    const answer = fc.oneof(
      {weight: 5, arbitrary: vmids.map((ids): Fetched => says(`r${ids.join()}`, ...ids))},
      {weight: 1, arbitrary: fc.constant(AWAY)},
      {weight: 1, arbitrary: fc.constant<Fetched>({kind: 'unusable', problem: 'cut short'})},
      {weight: 1, arbitrary: fc.constant<Fetched>({kind: 'unchanged'})},
      {
        weight: 1,
        arbitrary: fc.uint8Array().map((bytes): Fetched => {
          const text = {file: 'x.yaml', dir: '', bytes}
          return {
            kind: 'bundle',
            bundle: {revision: `b${bytes.join()}`, texts: [text], approvals: [], jobs: []},
          }
        }),
      },
    )
    const step = fc.record({answer, restart: fc.boolean(), accept: fc.boolean()})
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, {maxLength: 12}),
        fc.constantFrom(0, 0.2, 0.5),
        async (steps, maxShrink) => {
          const own = new SourceLab()
          try {
            const source = new ScriptedSource()
            let keeper = own.keeper(source, maxShrink)
            let before: number[] | undefined
            for (const {answer: next, restart, accept} of steps) {
              if (restart) keeper = own.keeper(source, maxShrink)
              const revision = next.kind === 'bundle' ? next.bundle.revision : undefined
              if (accept && revision !== undefined) own.store.writeAccepted(revision)
              const delivery = await deliver((source.say(next), keeper))
              const now = vmidsIn(delivery)
              const lost = (before ?? []).filter((vmid) => now?.includes(vmid) !== true)
              const isAccepted = accept && delivery.standing.revision === revision
              if (before && before.length > 0 && !isAccepted)
                expect(lost.length / before.length).to.be.at.most(maxShrink)
              if (before) expect(now).to.not.equal(undefined)
              before = now
            }
          } finally {
            own.remove()
          }
        },
      ),
      {numRuns: 15},
    )
  })

  it('reads a revision that it refuses once, and again when its verdict could be another', async () => {
    let reads = 0
    const bundle = {
      ...bundleOf('r2', guestsYaml(101)),
      get texts() {
        reads++
        return bundleOf('r2', guestsYaml(101)).texts
      },
    }
    const source = new ScriptedSource().say(says('r1', 101, 102, 103), {kind: 'bundle', bundle})
    const keeper = lab.keeper(source)
    await deliver(keeper)
    const first = await deliver(keeper)
    expect(first.standing).to.include({state: 'refused', refusedRevision: 'r2'})
    expect(reads).to.equal(1)
    for (let i = 0; i < 3; i++) expect((await deliver(keeper)).standing).to.deep.equal(first.standing)
    expect(reads).to.equal(1)
    await keeper.ask(new AbortController().signal)
    // Between the question and the verdict.
    lab.store.writeAccepted('r2')
    expect((await keeper.settle()).standing).to.include({state: 'fresh', revision: 'r2'})
  })

  it('looks again at what was refused for a secret, since that can be mended here', async () => {
    const yaml = 'felhom: 1\nguests:\n  101: {kind: qemu, config: {cipassword: {fromFile: link/x}}}\n'
    symlinkSync('/etc', join(lab.secrets, 'link'))
    const keeper = lab.keeper(new ScriptedSource().say({kind: 'bundle', bundle: bundleOf('r1', yaml)}))
    expect((await deliver(keeper)).standing.problem).to.match(/a link leads out/)
    rmSync(join(lab.secrets, 'link'))
    expect((await deliver(keeper)).standing).to.include({state: 'fresh', revision: 'r1'})
  })

  it('quotes no more of a mistake than people can read', async () => {
    const bundle = bundleOf('r1', `felhom: 1\n${'x'.repeat(100_000)}: 1\n`)
    const {standing} = await deliver(lab.keeper(new ScriptedSource().say({kind: 'bundle', bundle})))
    expect(standing.problem?.length).to.be.lessThan(2000)
  })

  it('lets others have their turn while it reads many files', async () => {
    const texts = Array.from({length: 6}, (_, i) => ({
      file: `${i}.yaml`,
      dir: '',
      bytes: Buffer.from(`felhom: 1\n# ${'x'.repeat(200_000)}\n`),
    }))
    let turns = 0
    let isReading = true
    const turn = (): void => {
      turns++
      if (isReading) setImmediate(turn)
    }
    setImmediate(turn)
    const bundle = {...bundleOf('r1', ''), texts}
    await deliver(lab.keeper(new ScriptedSource().say({kind: 'bundle', bundle})))
    isReading = false
    expect(turns).to.be.greaterThan(3)
  })

  it('gives the source back what it knew before a restart, and no other; a reload waits for nothing', async () => {
    const memory: SourceMemory = {
      last: {revision: 'r1', validators: {'If-None-Match': '"v1"'}},
      failure: {fetched: {kind: 'away', problem: 'no route'}, failures: 3, untilMs: lab.nowMs + 1000},
    }
    class Remembering extends ScriptedSource {
      recalled: SourceMemory | undefined
      remember = (): SourceMemory => memory
      recall(known: SourceMemory): void {
        this.recalled = known
      }
    }
    const ask = async (place: string, startedMs?: number): Promise<SourceMemory | undefined> => {
      const source = new Remembering('https', place).say(AWAY)
      const keeper = lab.keeper(source, undefined, undefined, startedMs)
      await deliver(keeper)
      await deliver(keeper)
      return source.recalled
    }
    expect(await ask('https://a.example/')).to.equal(undefined)
    expect(await ask('https://a.example/')).to.deep.equal(memory)
    expect(await ask('https://a.example/', lab.nowMs)).to.deep.equal({last: memory.last})
    expect(await ask('https://b.example/')).to.equal(undefined)
  })
})

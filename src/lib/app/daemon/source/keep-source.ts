// Judges what a source says, keeps what is good, and falls back on it: what is invalid, older or suspiciously smaller
// than what was good last is not used, whoever sent it. The operator alone can let such a revision pass.
import type {SourceStanding} from '../../../model/daemon.ts'
import type {DesiredReading, DesiredState} from '../../../model/desired.ts'
import {readBundleInTurns} from '../../../source/read-bundle.ts'
import type {Bundle, Fetched, Seen, Source} from '../../../source/source.ts'
import {readMemory} from '../../../source/source-memory.ts'
import type {KeptSourceFiles, SourceNote} from '../../../store/kept-source.ts'
import {judgeBundle, vmidsOf, type Verdict} from './judge-bundle.ts'
import type {Delivery, SourceKeeper} from '../ports.ts'
import {settleTime} from '../settle-time.ts'
import {RefusedRevision, type RefusalCase} from './refused-revision.ts'
import {KeptView, type Kept} from './view-kept.ts'

export interface KeeperOptions {
  /** The setting `desired`, opened; undefined: none is set, and nothing is desired. */
  readonly source: Source | undefined
  readonly store: KeptSourceFiles
  /** Share of its guests that a source may lose at once. */
  readonly maxShrink: number
  /** The setting `secrets`. */
  readonly secretsDir: string | undefined
  readonly clock: {now(): number}
  /** When this process began: who asks for a reload wants the source to be asked, whatever it was left alone for. */
  readonly startedMs?: number
  /** The reading of what the source said goes on: fed to the watchdog. */
  readonly progress?: () => void
}

export const makeSourceKeeper = (options: KeeperOptions): SourceKeeper =>
  options.source ? new Keeper(options, options.source) : noSource

const NOTHING: Delivery = {approvals: [], jobs: [], standing: {kind: 'none', place: '', state: 'fresh'}}
const noSource: SourceKeeper = {ask: () => Promise.resolve(), settle: () => Promise.resolve(NOTHING)}

/** While nothing else changes, the time of vouching is written no more often. */
const NOTE_EVERY_MS = 60_000

type Said = Pick<SourceStanding, 'state' | 'problem' | 'refusedRevision'>
type FetchedBundle = Extract<Fetched, {kind: 'bundle'}>

interface Answer {
  readonly seen: Seen | undefined
  readonly fetched: Fetched
  /** Of its texts, unless its verdict is known. */
  readonly reading?: DesiredReading
}

class Keeper implements SourceKeeper {
  readonly #options: KeeperOptions
  readonly #source: Source
  readonly #view: KeptView
  readonly #refused = new RefusedRevision()
  #answer: Answer | undefined
  #isRecalled = false

  constructor(options: KeeperOptions, source: Source) {
    this.#options = options
    this.#source = source
    this.#view = new KeptView(options.store, source, options.secretsDir)
  }

  async ask(signal: AbortSignal): Promise<void> {
    this.#answer = undefined
    const kept = this.#view.look()
    this.#recallOnce(kept.note)
    const seen = this.#view.seenOf(kept)
    const fetched = await this.#fetch(kept, seen, signal)
    // Here, where nobody holds the lock: to read it may take long.
    const isNew = fetched.kind === 'bundle' && !this.#recall(fetched, kept)
    this.#answer = {seen, fetched, ...(isNew && {reading: await this.#read(fetched.bundle)})}
  }

  #read({texts}: Bundle): Promise<DesiredReading> {
    const {secretsDir, progress} = this.#options
    return readBundleInTurns(texts, {kind: this.#source.kind, secretsDir}, progress)
  }

  /** What an earlier process knew of this source. */
  #recallOnce(note: SourceNote | undefined): void {
    if (this.#isRecalled) return
    this.#isRecalled = true
    if (!note?.memory || !this.#view.isNoteOurs(note)) return
    const {last, failure} = readMemory(note.memory.value)
    const isOfBefore = note.memory.savedAtMs < (this.#options.startedMs ?? Infinity)
    this.#source.recall?.({...(last && {last}), ...(failure && isOfBefore && {failure})})
  }

  /** That it has not changed is of no use where the last good state is lost. */
  async #fetch({content}: Kept, seen: Seen | undefined, signal: AbortSignal): Promise<Fetched> {
    try {
      const fetched = await this.#source.fetch(seen, signal)
      if (fetched.kind !== 'unchanged' || content) return fetched
      const whole = await this.#source.fetch(undefined, signal)
      // Nothing was there to compare it with: what is not the revision that was seen may come before it.
      if (whole.kind !== 'bundle' || whole.bundle.revision === seen?.revision) return whole
      const compared = await this.#source.fetch(seen, signal)
      return compared.kind === 'unchanged'
        ? {kind: 'away', problem: 'it says one thing and then another'}
        : compared
    } catch (error) {
      signal.throwIfAborted()
      return {kind: 'away', problem: `it could not be asked: ${String(error)}`}
    }
  }

  async settle(): Promise<Delivery> {
    const kept = this.#view.look()
    const answer = this.#answer
    this.#answer = undefined
    if (!answer) return this.#fallBack(kept, {state: 'away', problem: 'it was not asked'})
    // Another daemon on the same directory was faster: what it kept holds, and the source is asked again.
    if (answer.seen?.revision !== this.#view.seenOf(kept)?.revision) return this.#repeat(kept)
    const delivery = await this.#judge(answer, kept)
    // The operator's word is about what the source says now: it is spent, whether it was needed or not.
    if (answer.fetched.kind === 'bundle' || answer.fetched.kind === 'unchanged')
      this.#options.store.dropAccepted()
    return delivery
  }

  #repeat(kept: Kept): Delivery {
    const {note, content} = kept
    if (!note || !this.#view.isNoteOurs(note)) return this.#conclude(kept, {state: 'fresh'})
    return {...(content ?? {approvals: [], jobs: []}), standing: note.standing}
  }

  async #judge({fetched, reading}: Answer, kept: Kept): Promise<Delivery> {
    switch (fetched.kind) {
      case 'away':
        return this.#fallBack(kept, {state: 'away', problem: fetched.problem})
      case 'unusable':
        return this.#fallBack(kept, {state: 'refused', problem: fetched.problem})
      case 'unchanged':
        return this.#vouch(kept)
      case 'bundle': {
        const isSame = fetched.bundle.revision === this.#view.seenOf(kept)?.revision
        if (isSame && kept.content) return this.#vouch(kept)
        return this.#consider(fetched, reading, kept)
      }
    }
  }

  async #consider(
    fetched: FetchedBundle,
    reading: DesiredReading | undefined,
    kept: Kept,
  ): Promise<Delivery> {
    const {bundle} = fetched
    const verdict =
      this.#recall(fetched, kept) ?? this.#weigh(fetched, reading ?? (await this.#read(bundle)), kept)
    if ('desired' in verdict) return this.#keep(bundle, verdict.desired, kept)
    const {problem, mayAccept} = verdict
    const refused = mayAccept ? {refusedRevision: bundle.revision} : {}
    return this.#fallBack(kept, {state: 'refused', problem, ...refused})
  }

  #recall(fetched: FetchedBundle, kept: Kept): Verdict | undefined {
    return this.#refused.recall(this.#caseOf(fetched, kept))
  }

  #weigh(fetched: FetchedBundle, reading: DesiredReading, kept: Kept): Verdict {
    const judged = this.#caseOf(fetched, kept)
    const verdict = judgeBundle({...judged, reading, maxShrink: this.#options.maxShrink})
    this.#refused.remember(judged, verdict, reading)
    return verdict
  }

  #caseOf({bundle: {revision}, older}: FetchedBundle, {good}: Kept): RefusalCase {
    const isAccepted = this.#options.store.readAccepted().value === revision
    return {revision, older, before: good?.vmids, isAccepted}
  }

  /** On disk before it is used: after a restart nothing older may be taken for the last good. */
  #keep(bundle: Bundle, desired: DesiredState, {note, problem}: Kept): Delivery {
    const {kind, place, mark} = this.#source
    const {revision, serial, texts, approvals, jobs} = bundle
    const what = {kind, place, mark, revision, ...(serial !== undefined && {serial})}
    const goodAtMs = this.#options.clock.now()
    this.#options.store.writeKept({...what, keptAtMs: goodAtMs, texts, approvals, jobs})
    const good = {...what, goodAtMs, vmids: vmidsOf(desired)}
    const content = {desired, approvals, jobs}
    this.#view.remember(good, content)
    return this.#conclude(
      {good, content, ...(note && {note})},
      {state: 'fresh', ...(problem !== undefined && {problem})},
    )
  }

  #vouch(kept: Kept): Delivery {
    const {mark} = this.#source
    const good = kept.good && {
      ...kept.good,
      ...{mark, goodAtMs: this.#options.clock.now(), setBackToMs: undefined},
    }
    return this.#conclude({...kept, ...(good && {good})}, {state: 'fresh'})
  }

  #fallBack(kept: Kept, said: Said & {readonly problem: string}): Delivery {
    const problem = kept.problem === undefined ? said.problem : `${said.problem}; ${kept.problem}`
    return this.#conclude(kept, {...said, problem})
  }

  #conclude(kept: Kept, said: Said): Delivery {
    const {kind, place, mark} = this.#source
    const {content} = kept
    const nowMs = this.#options.clock.now()
    const time = kept.good && settleTime(kept.good.goodAtMs, kept.good.setBackToMs, nowMs)
    const good = kept.good && {...kept.good, setBackToMs: time?.setBackToMs}
    const standing: SourceStanding = {
      ...{kind, place},
      ...(content && good && time && {revision: good.revision, goodAtMs: time.atMs}),
      ...said,
    }
    const value = this.#source.remember?.()
    const memory = value && {savedAtMs: nowMs, value}
    this.#write({standing, mark, ...(good && {good}), ...(memory && {memory})}, kept.note)
    return {...(content ?? {approvals: [], jobs: []}), standing}
  }

  #write(note: SourceNote, last: SourceNote | undefined): void {
    const agedMs = (note.good?.goodAtMs ?? 0) - (last?.good?.goodAtMs ?? 0)
    const isSame = last !== undefined && timeless(last) === timeless(note)
    if (!isSame || agedMs >= NOTE_EVERY_MS || agedMs < 0) this.#options.store.writeNote(note)
  }
}

/** All of it but when it was vouched for. */
const timeless = (note: SourceNote): string =>
  JSON.stringify(note, (key, value: unknown) => (key === 'goodAtMs' || key === 'savedAtMs' ? 0 : value))

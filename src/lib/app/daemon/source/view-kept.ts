// What the state directory holds of a source, as far as it can be used now: read anew when it has changed, checked
// again by the rules of today.
import type {DesiredState} from '../../../model/desired.ts'
import {readBundle} from '../../../source/read-bundle.ts'
import {isSameSource, type KnownSource} from '../../../source/same-source.ts'
import type {Seen} from '../../../source/source.ts'
import type {GoodNote, KeptSource, KeptSourceFiles, SourceNote} from '../../../store/kept-source.ts'
import {describeMistakes, vmidsOf} from './judge-bundle.ts'

export interface Content {
  readonly desired: DesiredState
  readonly approvals: KeptSource['approvals']
  readonly jobs: KeptSource['jobs']
}

export interface Kept {
  /** What was good last, whichever source it came from. */
  readonly good?: GoodNote
  /** Of it, where it came from this source and can be used. */
  readonly content?: Content
  readonly note?: SourceNote
  /** What is wrong with what was kept. */
  readonly problem?: string
}

type Found = Omit<Kept, 'note'>

export class KeptView {
  readonly #store: KeptSourceFiles
  readonly #source: KnownSource
  readonly #secretsDir: string | undefined
  #last: {readonly stamp: string; readonly found: Found} | undefined

  constructor(store: KeptSourceFiles, source: KnownSource, secretsDir: string | undefined) {
    this.#store = store
    this.#source = source
    this.#secretsDir = secretsDir
  }

  look(): Kept {
    const {value: note, problem: noteProblem} = this.#store.readNote()
    const {good, content, problem = noteProblem} = this.#content()
    const noted = note?.good
    // The note tells when it was last vouched for; and it alone is left where the kept file is damaged.
    const latest = noted && (!good || noted.revision === good.revision) ? noted : good
    return {
      ...(latest && {good: latest}),
      // The note may know better whose it is: the kept file may be of a felhom that knew no marks.
      ...(content && latest && this.isOurs(latest) && {content}),
      ...(note && {note}),
      ...(problem !== undefined && {problem}),
    }
  }

  /** What has just been written need not be read. */
  remember(good: GoodNote, content: Content): void {
    const stamp = this.#store.stampOfKept()
    this.#last = stamp === undefined ? undefined : {stamp, found: {good, content}}
  }

  isOurs(of: KnownSource): boolean {
    return isSameSource(of, this.#source)
  }

  isNoteOurs({standing: {kind, place}, mark}: SourceNote): boolean {
    return this.isOurs({kind, place, mark})
  }

  /** Revisions of another source mean nothing to this one. */
  seenOf({good}: Kept): Seen | undefined {
    if (!good || !this.isOurs(good)) return undefined
    return {revision: good.revision, ...(good.serial !== undefined && {serial: good.serial})}
  }

  #content(): Found {
    const stamp = this.#store.stampOfKept()
    if (stamp === undefined) return {}
    if (this.#last?.stamp !== stamp) this.#last = {stamp, found: this.#read()}
    return this.#last.found
  }

  #read(): Found {
    const {value: kept, problem} = this.#store.readKept()
    if (!kept) return problem === undefined ? {} : {problem: `the last good state is lost: ${problem}`}
    const reading = readBundle(kept.texts, {kind: kept.kind, secretsDir: this.#secretsDir})
    if (!reading.valid)
      return {problem: `the last good state cannot be used any more: ${describeMistakes(reading)}`}
    const {kind, place, mark, revision, serial, keptAtMs, approvals, jobs} = kept
    const good: GoodNote = {
      ...{kind, place, mark, revision},
      ...(serial !== undefined && {serial}),
      ...{goodAtMs: keptAtMs, vmids: vmidsOf(reading.state)},
    }
    return {good, ...(this.isOurs(kept) && {content: {desired: reading.state, approvals, jobs}})}
  }
}

// How the source of the daemon stands, from what it left in the state directory: nothing is asked, locked or changed.
import type {SourceKind, SourceStanding} from '../../model/daemon.ts'
import type {Extensions} from '../../plugin/extensions.ts'
import type {Settings} from '../../settings/settings.ts'
import {KeptSourceFiles, type GoodNote} from '../../store/kept-source.ts'
import {isSameSource, type KnownSource} from '../../source/same-source.ts'
import {openSource} from './open-source.ts'

export interface SourceView {
  /** As the settings name it. */
  readonly kind: SourceKind
  readonly place: string
  /** As the last pass left it; undefined: this source was never asked. */
  readonly standing?: SourceStanding
  /** What was good last. */
  readonly good?: GoodNote
  readonly carried?: {readonly files: number; readonly approvals: number; readonly jobs: number}
  /** The revision that the next pass is to let pass. */
  readonly accepted?: string
  /** What is wrong with what was kept. */
  readonly problems: readonly string[]
}

export function lookAtSource(settings: Settings, cwd: string, extensions?: Extensions): SourceView {
  const {desired: setting, state} = settings
  const source = setting
    ? openSource({setting, cwd, cacheDir: state, env: {}, ...(extensions && {extensions})})
    : ({kind: 'none', place: ''} as const)
  const store = new KeptSourceFiles(state)
  const [note, kept, accepted] = [store.readNote(), store.readKept(), store.readAccepted()]
  const {kind, place} = source
  const isOurs = (of: KnownSource): boolean => isSameSource(of, source)
  return {
    ...{kind, place},
    ...(note.value &&
      isOurs({...note.value.standing, mark: note.value.mark}) && {standing: note.value.standing}),
    ...(note.value?.good && isOurs(note.value.good) && {good: shownGood(note.value.good)}),
    ...(kept.value && isOurs(kept.value) && {carried: countAll(kept.value)}),
    ...(accepted.value !== undefined && {accepted: accepted.value}),
    problems: [note, kept, accepted].flatMap(({problem}) => (problem === undefined ? [] : [problem])),
  }
}

/** With the time that counts. */
const shownGood = ({goodAtMs, setBackToMs = goodAtMs, ...good}: GoodNote): GoodNote => ({
  ...good,
  goodAtMs: setBackToMs,
})

const countAll = (kept: {
  texts: readonly unknown[]
  approvals: readonly unknown[]
  jobs: readonly unknown[]
}): NonNullable<SourceView['carried']> => ({
  files: kept.texts.length,
  approvals: kept.approvals.length,
  jobs: kept.jobs.length,
})

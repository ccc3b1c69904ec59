// A directory with desired state, a state directory and a keeper between them, for tests of sources.
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {makeSourceKeeper} from '../../src/lib/app/daemon/source/keep-source.ts'
import type {Delivery, SourceKeeper} from '../../src/lib/app/daemon/ports.ts'
import type {Bundle, Fetched, Seen, Source} from '../../src/lib/source/source.ts'
import {KeptSourceFiles} from '../../src/lib/store/kept-source.ts'

/** A file with these guests and nothing special about them. */
export const guestsYaml = (...vmids: readonly (number | string)[]): string =>
  `felhom: 1\nguests:\n${vmids.map((vmid) => `  ${vmid}: {kind: lxc, config: {cores: 1}}\n`).join('')}`.replace(
    /guests:\n$/,
    '',
  )

export const vmidsIn = ({desired}: Delivery): number[] | undefined => desired?.guests.map(({vmid}) => vmid)

export class SourceLab {
  readonly root = mkdtempSync(join(tmpdir(), 'felhom-source-'))
  readonly dir = join(this.root, 'guests')
  readonly state = join(this.root, 'state')
  readonly secrets = join(this.root, 'secrets')
  readonly store = new KeptSourceFiles(this.state)
  nowMs = 1_800_000_000_000

  constructor() {
    for (const dir of [this.dir, this.state, this.secrets]) mkdirSync(dir, {mode: 0o700})
  }

  write(name: string, text: string | Uint8Array): string {
    const path = join(this.dir, name)
    mkdirSync(dirname(path), {recursive: true})
    writeFileSync(path, text)
    return path
  }

  /** A new one, as after a restart. */
  keeper(
    source: Source | undefined,
    maxShrink = 0.2,
    secretsDir: string | undefined = this.secrets,
    startedMs?: number,
  ): SourceKeeper {
    return makeSourceKeeper({
      source,
      store: this.store,
      maxShrink,
      secretsDir,
      clock: {now: () => this.nowMs},
      ...(startedMs !== undefined && {startedMs}),
    })
  }

  remove(): void {
    rmSync(this.root, {recursive: true, force: true})
  }
}

export async function deliver(keeper: SourceKeeper): Promise<Delivery> {
  await keeper.ask(new AbortController().signal)
  return keeper.settle()
}

/** A source that says what the test tells it to, one answer after the other; the last of them again and again. */
export class ScriptedSource implements Source {
  readonly kind: Source['kind']
  readonly place: string
  readonly mark: string | undefined
  readonly asked: (Seen | undefined)[] = []
  answers: Fetched[] = []

  constructor(kind: Source['kind'] = 'https', place = 'https://hub.example/guests', mark?: string) {
    this.kind = kind
    this.place = place
    this.mark = mark
  }

  say(...answers: Fetched[]): this {
    this.answers = answers
    return this
  }

  fetch(seen: Seen | undefined): Promise<Fetched> {
    this.asked.push(seen)
    const [next, ...rest] = this.answers
    if (rest.length > 0) this.answers = rest
    return Promise.resolve(next ?? {kind: 'away', problem: 'nothing is scripted'})
  }
}

export const bundleOf = (revision: string, yaml: string, more: Partial<Bundle> = {}): Bundle => ({
  revision,
  texts: [{file: 'guests.yaml', dir: '', bytes: Buffer.from(yaml)}],
  approvals: [],
  jobs: [],
  ...more,
})

export const says = (revision: string, ...vmids: readonly number[]): Fetched => ({
  kind: 'bundle',
  bundle: bundleOf(revision, guestsYaml(...vmids)),
})

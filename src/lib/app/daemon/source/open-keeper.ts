// The source that the settings name, in the hands of the keeper of its last good state.
import {join} from 'node:path'
import type {Extensions} from '../../../plugin/extensions.ts'
import type {Settings} from '../../../settings/settings.ts'
import {KeptSourceFiles} from '../../../store/kept-source.ts'
import {openSource} from '../../source/open-source.ts'
import {makeSourceKeeper} from './keep-source.ts'
import type {SourceKeeper} from '../ports.ts'

export interface KeeperPlaces {
  readonly settings: Settings
  readonly env: NodeJS.ProcessEnv
  readonly extensions: Extensions
  readonly clock: {now(): number}
  /** The source, or the reading of what it said, goes on: fed to the watchdog. */
  readonly progress: () => void
}

export const openKeeper = ({settings, env, extensions, clock, progress}: KeeperPlaces): SourceKeeper =>
  makeSourceKeeper({
    source:
      settings.desired &&
      openSource({
        setting: settings.desired,
        cwd: process.cwd(),
        cacheDir: join(settings.state, 'source'),
        env,
        extensions,
        progress,
      }),
    store: new KeptSourceFiles(settings.state),
    maxShrink: settings.daemon.maxShrink,
    secretsDir: settings.secrets,
    clock,
    startedMs: performance.timeOrigin,
    progress,
  })

// Progress of an apply on stderr: redrawn on a terminal, plain lines elsewhere. Under --json nobody watches.
import {LiveProgress} from './live-progress.ts'
import {PlainProgress} from './plain-progress.ts'
import {ActionWatch, type Progress} from './watch-actions.ts'

export type {Progress}

export function startProgress(stream: NodeJS.WriteStream, isSilent: boolean): Progress {
  if (isSilent) return new SilentProgress()
  const canRedraw = stream.isTTY && process.env['TERM'] !== 'dumb'
  return canRedraw ? new LiveProgress(stream) : new PlainProgress(stream)
}

class SilentProgress extends ActionWatch implements Progress {
  say(): void {
    // The lines on stdout are all that is wanted.
  }
}

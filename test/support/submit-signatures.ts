// Submits signatures as another felhom would, each when it is told to over IPC: {settings, statement, sig}.
import {readDocument} from '../../src/lib/app/gate/gate-documents.ts'
import {submitSignatures, type SavePlace} from '../../src/lib/app/gate/gate-sign.ts'

export interface Submission {
  readonly settings: SavePlace['settings']
  readonly statement: string
  readonly sig: string
}

async function submit({settings, statement, sig}: Submission): Promise<string> {
  const upkeep = {
    holder: 'felhom gate submit',
    lockTimeoutMs: 60_000,
    signal: new AbortController().signal,
    onLocked: () => undefined,
  }
  const place = {settings, cwd: '/', out: undefined, nowMs: Date.now(), upkeep}
  return (await submitSignatures(readDocument('/', statement), [sig], place)).file
}

process.on('message', (submission: Submission) => {
  void submit(submission).then(
    (file) => process.send?.({file}),
    (error: unknown) => process.send?.({problem: String(error)}),
  )
})
process.send?.({file: 'ready'})

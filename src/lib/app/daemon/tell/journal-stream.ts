// Whether a stream is the one that systemd has connected to journald, as systemd.exec(5) says it is to be found out.
import {fstatSync} from 'node:fs'

export function isJournalStream(env: NodeJS.ProcessEnv, stream: NodeJS.WritableStream): boolean {
  const named = env['JOURNAL_STREAM']
  const fd = 'fd' in stream ? stream.fd : undefined
  if (named === undefined || typeof fd !== 'number') return false
  const {dev, ino} = fstatSync(fd, {bigint: true})
  return named === `${dev}:${ino}`
}

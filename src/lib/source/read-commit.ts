// The files of one commit, straight from the objects of the repository: nothing is checked out, so that no link, hook
// or filter of it ever meets this machine.
import {posix} from 'node:path'
import type {DesiredText} from '../desired/desired-text.ts'
import {
  byName,
  isPlainName,
  MAX_BUNDLE_BYTES,
  MAX_CARRIED_BYTES,
  MAX_ENVELOPES,
  MAX_TEXTS,
  partOf,
  type Part,
} from './bundle-limits.ts'
import {isHidden, refuse, refuseLinks, refuseSubmodule} from './refuse-links.ts'
import {explainGit, runGit, type GitPlace} from './run-git.ts'
import type {CarriedEnvelope} from './source.ts'

export interface CommitContent {
  readonly texts: readonly DesiredText[]
  readonly approvals: readonly CarriedEnvelope[]
  readonly jobs: readonly CarriedEnvelope[]
}

/** `local`: the copy of the repository is damaged. */
export type CommitReading = CommitContent | {readonly problem: string; readonly isLocal: boolean}

interface Entry {
  readonly name: string
  readonly part: Part
  readonly oid: string
  readonly size: number
}

const MODE_LINK = '120000'
const LINE = /^(\d{6}) (blob|tree|commit) ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s

/** `path`: below the top, a folder or a file; '' is all of it. */
export async function readCommit(commit: string, path: string, place: GitPlace): Promise<CommitReading> {
  const found = await findTop(`${commit}:${path}`, place)
  if ('problem' in found) return found
  const entries =
    found.type === 'blob'
      ? [{name: posix.basename(path), part: 'text' as const, oid: found.oid, size: found.size}]
      : await listTree(found.oid, `${commit}:${path}${path === '' ? '' : '/'}`, place)
  if ('problem' in entries) return entries
  const problem = findExcess(entries)
  if (problem !== undefined) return {problem, isLocal: false}
  const blobs = await readBlobs(entries, place)
  return 'problem' in blobs
    ? blobs
    : sortOut(entries, blobs, found.type === 'blob' ? posix.dirname(path) : path)
}

type Failure = Extract<CommitReading, {problem: string}>

async function findTop(
  name: string,
  place: GitPlace,
): Promise<{type: string; oid: string; size: number} | Failure> {
  const run = await runGit(['cat-file', '--batch-check'], place, `${name}\n`)
  if ('problem' in run) return {problem: run.problem, isLocal: false}
  const [, oid, type, size] =
    /^([0-9a-f]{40,64}) (tree|blob) (\d+)\n$/.exec(run.stdout.toString('latin1')) ?? []
  if (oid !== undefined && type !== undefined) return {oid, type, size: Number(size)}
  if (run.code !== 0) return {problem: explainGit(run.stderr), isLocal: true}
  return {
    problem: `there is no ${name.slice(name.indexOf(':') + 1) || 'tree'} in commit ${name.slice(0, 12)}`,
    isLocal: false,
  }
}

/** `top`: how git names what is in the tree, before its name there. */
async function listTree(oid: string, top: string, place: GitPlace): Promise<Entry[] | Failure> {
  const run = await runGit(['ls-tree', '-r', '-z', '-l', oid], place)
  if ('problem' in run) return {problem: run.problem, isLocal: false}
  if (run.code !== 0) return {problem: explainGit(run.stderr), isLocal: true}
  const entries: Entry[] = []
  const links: string[] = []
  for (const line of run.stdout.toString('utf8').split('\0')) {
    const [, mode, type, blob = '', size, name = ''] = LINE.exec(line) ?? []
    const part = partOf(name)
    if (name === '' || isHidden(name)) continue
    if (type === 'commit') return refuseSubmodule(name)
    if (part === undefined && mode === MODE_LINK) links.push(name)
    if (part === undefined || type !== 'blob') continue
    if (!isPlainName(name)) return refuse('a file of it has a name that cannot be shown')
    if (mode !== MODE_LINK) entries.push({name, part, oid: blob, size: Number(size)})
    else if (part === 'text')
      return refuse(`${name} is a symbolic link, and links of a repository are not followed`)
  }
  return (await refuseLinks(links, top, place)) ?? entries.sort(byName)
}

function findExcess(entries: readonly Entry[]): string | undefined {
  const count = (part: Part): number => entries.filter((entry) => entry.part === part).length
  if (count('text') === 0) return 'there is no .yaml or .yml file in it'
  if (count('text') > MAX_TEXTS) return `there are more than ${MAX_TEXTS} files in it`
  for (const part of ['approvals', 'jobs'] as const)
    if (count(part) > MAX_ENVELOPES)
      return `there are ${count(part)} files in ${part}, more than ${MAX_ENVELOPES}: remove those that are of no use any more`
  const total = entries.reduce((sum, {size}) => sum + size, 0)
  return total > MAX_BUNDLE_BYTES ? `its files hold ${total} bytes, more than ${MAX_BUNDLE_BYTES}` : undefined
}

async function readBlobs(entries: readonly Entry[], place: GitPlace): Promise<Buffer[] | Failure> {
  const maxOutputBytes = MAX_BUNDLE_BYTES + entries.length * 128
  const asked = entries.map(({oid}) => `${oid}\n`).join('')
  const run = await runGit(
    ['cat-file', '--batch'],
    {...place, limits: {...place.limits, maxOutputBytes}},
    asked,
  )
  if ('problem' in run) return {problem: run.problem, isLocal: false}
  const blobs: Buffer[] = []
  let at = 0
  for (const {oid, size} of entries) {
    const head = `${oid} blob ${size}\n`
    const start = at + head.length
    at = start + size + 1
    if (run.stdout.toString('latin1', start - head.length, start) !== head || at > run.stdout.length)
      return {problem: `object ${oid} cannot be read: ${explainGit(run.stderr)}`, isLocal: true}
    blobs.push(run.stdout.subarray(start, start + size))
  }
  return blobs
}

function sortOut(entries: readonly Entry[], blobs: readonly Buffer[], path: string): CommitContent {
  const of = (part: Part): {name: string; bytes: Buffer}[] =>
    entries.flatMap((entry, i) => {
      const bytes = blobs[i]
      return entry.part === part && bytes ? [{name: entry.name, bytes}] : []
    })
  const envelopes = (part: 'approvals' | 'jobs'): CarriedEnvelope[] =>
    of(part).map(({name, bytes}) => ({name, bytes: Uint8Array.from(bytes.subarray(0, MAX_CARRIED_BYTES))}))
  return {
    texts: of('text').map(({name, bytes}) => ({file: posix.join(path, name), dir: '', bytes})),
    approvals: envelopes('approvals'),
    jobs: envelopes('jobs'),
  }
}

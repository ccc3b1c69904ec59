// Links of a repository are not followed. One to a file that is not read anyway does no harm; behind a folder there may
// be guests, and that they are not there must not look as if somebody had wished so.
import {isPlainName} from './bundle-limits.ts'
import {explainGit, runGit, type GitPlace} from './run-git.ts'

export interface Refusal {
  readonly problem: string
  /** The copy of the repository is damaged. */
  readonly isLocal: boolean
}

/** Where nobody keeps what is desired: `.github`, `.git`. */
export const isHidden = (name: string): boolean => name.split('/').some((step) => step.startsWith('.'))

export const refuse = (problem: string): Refusal => ({problem, isLocal: false})

export const refuseSubmodule = (name: string): Refusal =>
  refuse(`${show(name)} is a submodule, which is not fetched: guests in it would silently be missing`)

/** `top`: how git names what is in the tree, before its name there. */
export async function refuseLinks(
  links: readonly string[],
  top: string,
  place: GitPlace,
): Promise<Refusal | undefined> {
  if (links.length === 0) return undefined
  const odd = links.find((name) => name.includes('\n'))
  if (odd !== undefined) return refuseLink(odd)
  const asked = links.map((name) => `${top}${name}\n`).join('')
  const run = await runGit(['cat-file', '--batch-check', '--follow-symlinks'], place, asked)
  if ('problem' in run) return refuse(run.problem)
  const answers = readAnswers(run.stdout)
  if (answers.length !== links.length) return {problem: explainGit(run.stderr), isLocal: true}
  const folder = links.find((_name, i) => !HARMLESS.has(answers[i] ?? ''))
  return folder === undefined ? undefined : refuseLink(folder)
}

const refuseLink = (name: string): Refusal =>
  refuse(
    `${show(name)} is a link to a folder or out of the repository, and links are not followed: guests behind it would silently be missing`,
  )

const show = (name: string): string =>
  isPlainName(name) ? name : 'something with a name that cannot be shown'

/** A file, and what leads nowhere. */
const HARMLESS: ReadonlySet<string> = new Set(['blob', 'dangling', 'loop', 'notdir'])

/** One for each: the type of what is there, or how git calls it where there is nothing of its own. */
function readAnswers(bytes: Buffer): string[] {
  const answers: string[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\n', at)
    if (end < 0) return []
    const line = bytes.toString('latin1', at, end)
    at = end + 1
    const [, type] = /^[0-9a-f]{40,64} (\w+) \d+$/.exec(line) ?? []
    const [, word, size] = /^(dangling|loop|notdir|symlink) (\d+)$/.exec(line) ?? []
    // Where it leads follows, on as many lines as it takes.
    if (size !== undefined) at += Number(size) + 1
    answers.push(type ?? word ?? 'missing')
  }
  return answers
}

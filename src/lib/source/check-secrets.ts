// Which secrets a desired state from elsewhere may name: files of one directory that the operator has set aside for
// it. Otherwise whoever writes it could have any file or variable of this machine put into a guest of their own.
import {realpathSync} from 'node:fs'
import {dirname, isAbsolute, relative, sep} from 'node:path'
import type {DesiredGuest, DesiredState, SecretSource, SourcePlace} from '../model/desired.ts'
import type {Diagnostic} from '../model/diagnostic.ts'

export function checkSecrets(state: DesiredState, secretsDir: string | undefined): Diagnostic[] {
  return state.guests.flatMap((guest) =>
    secretsOf(guest).flatMap(({option, from, place}) => {
      const problem = findProblem(from, secretsDir)
      return problem === undefined ? [] : [refuse(option, problem, place)]
    }),
  )
}

interface NamedSecret {
  readonly option: string
  readonly from: SecretSource
  readonly place: SourcePlace
}

function secretsOf({create, options}: DesiredGuest): NamedSecret[] {
  const named: NamedSecret[] = []
  if (create?.password) named.push({option: 'password', from: create.password, place: create.place})
  if (typeof create?.sshKeys === 'object')
    named.push({option: 'sshkeys', from: create.sshKeys, place: create.place})
  for (const {name, value, place} of options.values())
    if (value.is === 'secret') named.push({option: name, from: value.from, place})
  return named
}

const refuse = (option: string, problem: string, place: SourcePlace): Diagnostic => ({
  ...place,
  code: 'secret_elsewhere',
  message: `'${option}' may not be taken from there: ${problem}`,
  expected: "{fromFile: NAME} with a file in the directory that the setting 'secrets' names",
})

function findProblem(from: SecretSource, secretsDir: string | undefined): string | undefined {
  if ('env' in from) return 'a desired state from elsewhere may not read the environment'
  if (secretsDir === undefined) return "the setting 'secrets' names no directory"
  if (!isBelow(from.file, secretsDir)) return "it is not in the directory of the setting 'secrets'"
  return leadsOut(from.file, secretsDir)
    ? "a link leads out of the directory of the setting 'secrets'"
    : undefined
}

function isBelow(path: string, dir: string): boolean {
  const below = relative(dir, path)
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)
}

/** What is not there yet leads nowhere, but a link above it may. */
function leadsOut(path: string, dir: string): boolean {
  const home = findReal(dir)
  if (home === undefined) return false
  for (let at = path; isBelow(at, dir); at = dirname(at)) {
    const real = findReal(at)
    if (real !== undefined) return !isBelow(real, home)
  }
  return false
}

/** Anything but its absence is a reason to stay away from it: such a path leads out. */
function findReal(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : sep
  }
}

// Files that hold secrets or what must not be forged. It touches only the path it is given, opens it without
// following a link, and checks the open file itself, so that nothing can be swapped between check and use.
import {closeSync, constants, fstatSync, lstatSync, openSync, readSync} from 'node:fs'
import {dirname} from 'node:path'

export interface PrivateFileRules {
  maxBytes: number
  /** A secret may be read by its owner's group (root:felhom 0640) but never by everybody. */
  mayGroupRead: boolean
}

export type PrivateFile = {bytes: Uint8Array} | {problem: string; mend: string}

export function readPrivateFile(path: string, rules: PrivateFileRules): PrivateFile {
  const parent = checkParent(path)
  if (parent) return parent
  let fd: number
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    return openProblem(path, error as NodeJS.ErrnoException)
  }
  try {
    const problem = checkOpenFile(path, fd, rules)
    return problem ?? {bytes: readAll(fd, rules.maxBytes)}
  } finally {
    closeSync(fd)
  }
}

function openProblem(path: string, {code}: NodeJS.ErrnoException): PrivateFile {
  if (code === 'ENOENT') return {problem: `${path} does not exist`, mend: `create it, and: chmod 600 ${path}`}
  if (code === 'ELOOP') return {problem: `${path} is a symbolic link`, mend: 'name the file itself'}
  if (code === 'EACCES')
    return {
      problem: `${path} may not be read by this user`,
      mend: `chown or chmod ${path} so that the user felhom runs as may read it`,
    }
  return {
    problem: `${path} cannot be opened (${code ?? 'unknown'})`,
    mend: 'check the path and its file system',
  }
}

function checkOpenFile(path: string, fd: number, rules: PrivateFileRules): PrivateFile | undefined {
  const stat = fstatSync(fd)
  const own = process.getuid?.() ?? 0
  if (!stat.isFile()) return {problem: `${path} is not a regular file`, mend: 'name a regular file'}
  if (stat.uid !== own && stat.uid !== 0) {
    return {problem: `${path} belongs to uid ${stat.uid}`, mend: `chown ${own} ${path}`}
  }
  const forbidden = rules.mayGroupRead ? 0o037 : 0o077
  if ((stat.mode & forbidden) !== 0) {
    const mode = (stat.mode & 0o777).toString(8).padStart(4, '0')
    return {problem: `${path} has mode ${mode}: others may read or change it`, mend: `chmod 600 ${path}`}
  }
  if (stat.size > rules.maxBytes) {
    return {
      problem: `${path} holds ${stat.size} bytes, more than ${rules.maxBytes}`,
      mend: 'check that it is the right file',
    }
  }
  return undefined
}

/** Whoever may write the directory may put another file in the place of this one. */
function checkParent(path: string): PrivateFile | undefined {
  const dir = dirname(path)
  const stat = lstatSync(dir, {throwIfNoEntry: false})
  if (!stat?.isDirectory()) return undefined
  const sticky = (stat.mode & 0o1000) !== 0
  if ((stat.mode & 0o002) !== 0 && !sticky) {
    return {problem: `everybody may write the directory ${dir}`, mend: `chmod o-w ${dir}`}
  }
  return undefined
}

function readAll(fd: number, maxBytes: number): Uint8Array {
  const buffer = Buffer.alloc(maxBytes)
  let length = 0
  for (;;) {
    const n = readSync(fd, buffer, length, maxBytes - length, null)
    if (n === 0) return buffer.subarray(0, length)
    length += n
  }
}

// The hash that cloud-init gets in place of a password. It has the form of the real one and is as different from
// call to call; nobody ever logs in with it.
import {createHash} from 'node:crypto'
import type {Cluster} from '../../cluster.ts'

const SALT_DIGITS = 8

export function encryptPassword(cluster: Cluster, password: string): string {
  const salt = cluster.randomHex(SALT_DIGITS)
  const hash = createHash('sha256').update(`${salt}$${password}`).digest('base64')
  return `$5$${salt}$${hash.replace(/=+$/, '').replaceAll('+', '.')}`
}

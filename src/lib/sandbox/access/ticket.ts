// Login tickets and CSRF tokens in Proxmox's form, signed with a key that is no secret: the sandbox listens
// on loopback only and holds nothing worth protecting.
import {createHmac} from 'node:crypto'

const KEY = 'felhom sandbox'
const LIFETIME_SECONDS = 7200
const CLOCK_SKEW_SECONDS = 300

const sign = (text: string): string => createHmac('sha256', KEY).update(text).digest('base64')
const stamp = (seconds: number): string => seconds.toString(16).toUpperCase().padStart(8, '0')

const isFresh = (hex: string, nowSeconds: number): boolean => {
  const ageSeconds = nowSeconds - Number.parseInt(hex, 16)
  return ageSeconds > -CLOCK_SKEW_SECONDS && ageSeconds < LIFETIME_SECONDS
}

export function makeTicket(userid: string, nowSeconds: number): string {
  const plain = `PVE:${userid}:${stamp(nowSeconds)}`
  return `${plain}::${sign(plain)}`
}

/** The user whom a ticket names, or undefined when it is forged or too old. */
export function readTicket(ticket: string, nowSeconds: number): string | undefined {
  const match = /^(PVE:([^:]+):([0-9A-F]{8}))::(.+)$/s.exec(ticket)
  const [, plain = '', userid = '', time = '', signature] = match ?? []
  return match && sign(plain) === signature && isFresh(time, nowSeconds) ? userid : undefined
}

export function makeCsrfToken(userid: string, nowSeconds: number): string {
  const time = stamp(nowSeconds)
  return `${time}:${sign(`csrf:${time}:${userid}`)}`
}

export function isCsrfToken(token: string, userid: string, nowSeconds: number): boolean {
  const [, time = '', signature] = /^([0-9A-F]{8}):(.+)$/.exec(token) ?? []
  return sign(`csrf:${time}:${userid}`) === signature && isFresh(time, nowSeconds)
}

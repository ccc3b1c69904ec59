// Who runs this, as the system names them: a hint for people, proof of nothing.
import {hostname, userInfo} from 'node:os'

export function operatorAtHost(): string {
  try {
    return `${userInfo().username}@${hostname()}`
  } catch {
    return `operator@${hostname()}`
  }
}

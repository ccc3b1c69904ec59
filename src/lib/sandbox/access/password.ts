// PUT /access/password: for oneself and for whoever one may manage, confirmed by one's own password.
import {optionalText, text, type Call, type Route} from '../call.ts'
import {PveError, die, paramError} from '../pve-error.ts'
import type {MethodSchema} from '../schema/api-schema.ts'
import {ROOT} from './permissions.ts'
import {requireUser} from './user-config.ts'

const schema: MethodSchema = {
  name: 'change_password',
  protected: 1,
  permissions: {
    check: [
      'or',
      ['userid-param', 'self'],
      ['and', ['userid-param', 'Realm.AllocateUser'], ['userid-group', ['User.Modify']]],
    ],
  },
  parameters: {
    additionalProperties: 0,
    properties: {
      userid: {format: 'pve-userid', maxLength: 64, type: 'string'},
      password: {maxLength: 64, minLength: 8, type: 'string'},
      'confirmation-password': {maxLength: 64, minLength: 5, optional: 1, type: 'string'},
    },
  },
}

function changePassword(call: Call): void {
  const {cluster, principal} = call
  const {userid} = requireUser(cluster, text(call, 'userid'))
  const {passwords} = cluster.state.access
  if (principal.authid !== ROOT) {
    if (userid === ROOT) deny()
    const confirmation = optionalText(call, 'confirmation-password')
    if (confirmation === undefined)
      paramError({'confirmation-password': 'password is required to modify user'})
    if (passwords[principal.authid] !== confirmation) die('invalid credentials')
    if (principal.authid !== userid && userid.endsWith('@pam')) deny()
  }
  passwords[userid] = text(call, 'password')
}

function deny(): never {
  throw new PveError(403, 'Permission check failed\n')
}

export const routes: Route[] = [{method: 'PUT', path: '/access/password', schema, handler: changePassword}]

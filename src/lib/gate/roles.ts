// Whose signature counts for what. The keys of the recovery role lie in a safe: they change who may sign, and nothing
// else, so that whoever finds one destroys nothing with it.
import {SIGNED_OPERATIONS, type Role, type SignedOperation} from '../model/approval.ts'

const ROTATIONS: ReadonlySet<SignedOperation> = new Set(['trust.rotate_operational', 'trust.rotate_recovery'])

export const ROLE_OPERATIONS: Readonly<Record<Role, ReadonlySet<SignedOperation>>> = {
  operational: new Set(SIGNED_OPERATIONS.filter((op) => op !== 'trust.rotate_recovery')),
  recovery: ROTATIONS,
}

export const mayRoleSign = (role: Role, op: SignedOperation): boolean => ROLE_OPERATIONS[role].has(op)

/** The one role of all who signed, if it may sign for `op`. Thresholds are per role: roles do not add up. */
export function findRole(roles: readonly Role[], op: SignedOperation): Role | undefined {
  const [role] = roles
  if (role === undefined || roles.some((other) => other !== role)) return undefined
  return mayRoleSign(role, op) ? role : undefined
}

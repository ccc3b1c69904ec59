// Operations that cannot be taken back, or leave debris: they are never called failed, nor done, by guesswork.
import type {Intent} from '../model/operation.ts'

export const isIrrevocable = ({body: {type}}: Pick<Intent, 'body'>): boolean =>
  type === 'create' ||
  type === 'destroy' ||
  type === 'snapshot-delete' ||
  type === 'snapshot-rollback' ||
  type === 'job'

/** Of which it can be seen that they took place: a rollback leaves nothing that would prove it. */
export const isProvable = ({body: {type}}: Pick<Intent, 'body'>): boolean =>
  type === 'destroy' || type === 'snapshot-delete'

import type {UndoRemark} from '../model/undo.ts'

/** A remark on the guest in hand. */
export type OwnRemark = Omit<UndoRemark, 'guest' | 'name'>

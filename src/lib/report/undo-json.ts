// What `felhom undo --json` adds to the lines of an apply: what is undone, and what is not, and why.
import {formatGuestId} from '../model/guest.ts'
import type {UndoAccount} from '../model/undo.ts'
import {toLine} from './apply-json.ts'

export interface UndoJson {
  /** The run that is undone; null: there is none with anything to undo. */
  undoes: string | null
  remarks: {
    guest: string
    name: string | null
    subject: string | null
    code: string
    message: string
  }[]
  /** What the desired state still asks for; null: it could not be compared. */
  conflicts: readonly string[] | null
}

export function encodeUndo({run, remarks, conflicts}: UndoAccount): UndoJson {
  return {
    undoes: run ?? null,
    remarks: remarks.map(({guest, name, subject, code, message}) => ({
      guest: formatGuestId(guest),
      name: name ?? null,
      subject: subject ?? null,
      code,
      message,
    })),
    conflicts: conflicts ?? null,
  }
}

export const undoLine = (account: UndoAccount): string => toLine({type: 'undo', ...encodeUndo(account)})

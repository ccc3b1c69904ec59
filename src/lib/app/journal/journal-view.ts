// The journal for commands that only look at it: no lock, no token, no Proxmox.
import type {Settings} from '../../settings/settings.ts'
import {readJournal, type JournalView} from '../../store/read-journal.ts'
import {systemDisk} from '../../store/system-disk.ts'

export type {JournalView}

export const openJournalView = ({state}: Pick<Settings, 'state'>): Promise<JournalView> =>
  readJournal({disk: systemDisk, dir: state})

// The entry `felhom/testing`: what tests of plugins and programs run on instead of a real Proxmox and a real disk.

// A Proxmox of one's own: over HTTPS as `startSandbox`, or without a network and in virtual time.
export {FULL_TOKEN} from '../testing/full-token.ts'
export {homelabSeed} from '../testing/homelab-seed.ts'
export {InProcessConnection} from '../testing/in-process-connection.ts'
export {InProcessSandbox} from '../testing/in-process-sandbox.ts'
export {startSandbox} from '../testing/start-sandbox.ts'
export {VirtualClock} from '../sandbox/clock.ts'
export type {
  InProcessConnectionOptions,
  InProcessFault,
  InProcessRequest,
} from '../testing/in-process-connection.ts'
export type {Answer} from '../testing/in-process-sandbox.ts'
export type {Sandbox, SandboxOptions} from '../sandbox/index.ts'

// Ports in memory: a journal, and a disk below the real one; both fail where they are told to.
export {MemoryJournal} from '../testing/memory-journal.ts'
export {DiskIsGone, MemoryDisk} from '../testing/memory-disk.ts'
export {openJournal} from '../store/open-journal.ts'
export type {JournalCall} from '../testing/memory-journal.ts'
export type {DiskCall, DiskFault, MemoryDiskOptions} from '../testing/memory-disk.ts'
export type {Disk, DiskFile} from '../store/disk.ts'

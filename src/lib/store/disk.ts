// The few things that the store asks of a disk, so that a test can stand a failing or a forgetting one in its
// place. Nothing is durable before `datasync` of the file, and for a name `syncDirectory`, has resolved.

export interface Disk {
  /** Makes the directory, mode 0700, if it is not there; refuses one that others may read or write. */
  makeDirectory(path: string): Promise<void>
  /** Names in it, sorted; none if it does not exist. */
  list(path: string): Promise<readonly string[]>
  /** `create` fails if the file exists; `append` and `read` fail with ENOENT if it does not. Links are refused. */
  open(path: string, mode: 'read' | 'append' | 'create'): Promise<DiskFile>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  syncDirectory(path: string): Promise<void>
}

export interface DiskFile {
  size(): Promise<number>
  /** Fills as much of the buffer as there is from that position; 0 at the end. */
  read(buffer: Uint8Array, position: number): Promise<number>
  /** May write less than it was given without saying so: the caller loops. */
  write(bytes: Uint8Array, position: number): number
  datasync(): Promise<void>
  truncate(length: number): Promise<void>
  close(): Promise<void>
}

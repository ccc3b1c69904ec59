// A write may take less than it was given without saying so; one that takes nothing will never take the rest.
import type {DiskFile} from '../disk.ts'

export function writeWhole(file: DiskFile, bytes: Uint8Array, position: number): void {
  let written = 0
  while (written < bytes.length) {
    const taken = file.write(bytes.subarray(written), position + written)
    if (taken <= 0) throw new Error('the disk took no more bytes')
    written += taken
  }
}

// A process of its own that lives the lives it is handed, and hands back what came of each batch.
import {runBatch, type Batch} from './run-batch.ts'

// Thousands of errors are thrown and caught again; a life that goes wrong is told with its stack later.
Error.stackTraceLimit = 0

process.on('message', (batch: Batch) => {
  void runBatch(batch).then((result) => process.send?.(result))
})

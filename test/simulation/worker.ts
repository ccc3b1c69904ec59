// A process of its own that lives the lives it is handed, and hands back what came of each batch.
import {runBatch, type Batch} from './run-batch.ts'

process.on('message', (batch: Batch) => {
  void runBatch(batch).then((result) => process.send?.(result))
})

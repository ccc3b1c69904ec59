// Several labs at work on one list, so that what one waits for does not hold up the others.
import {FaultLab} from './fault-lab.ts'

export async function takeTurns<T>(
  jobs: Iterable<T>,
  labs: number,
  work: (lab: FaultLab, job: T) => Promise<boolean>,
): Promise<void> {
  const queue = jobs[Symbol.iterator]()
  let isOver = false
  const worker = async (): Promise<void> => {
    const lab = await FaultLab.start()
    try {
      while (!isOver) {
        const next: IteratorResult<T, unknown> = queue.next()
        if (next.done || !(await work(lab, next.value))) isOver = true
      }
    } catch (error) {
      isOver = true
      throw error
    } finally {
      await lab.stop()
    }
  }
  const ends = await Promise.allSettled(Array.from({length: labs}, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

export function* upwards(): Generator<number> {
  for (let n = 1; ; n++) yield n
}

// Several labs at work on one list, so that what one waits for does not hold up the others.
import {FaultLab} from './fault-lab.ts'

export const startLabs = (count: number): Promise<FaultLab[]> =>
  Promise.all(Array.from({length: count}, () => FaultLab.start()))

export const stopLabs = async (labs: readonly FaultLab[]): Promise<void> => {
  await Promise.all(labs.map((lab) => lab.stop()))
}

/** Until there are no more jobs, or `work` says that there is no need for more. */
export async function takeTurns<T>(
  jobs: Iterable<T>,
  labs: readonly FaultLab[],
  work: (lab: FaultLab, job: T) => Promise<boolean>,
): Promise<void> {
  const queue = jobs[Symbol.iterator]()
  let isOver = false
  const serve = async (lab: FaultLab): Promise<void> => {
    try {
      while (!isOver) {
        const next: IteratorResult<T, unknown> = queue.next()
        if (next.done || !(await work(lab, next.value))) isOver = true
      }
    } catch (error) {
      isOver = true
      throw error
    }
  }
  const ends = await Promise.allSettled(labs.map(serve))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

export function* upwards(): Generator<number> {
  for (let n = 1; ; n++) yield n
}

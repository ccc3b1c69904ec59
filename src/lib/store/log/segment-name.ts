// Segments are numbered from 1; the highest number is the one that is written to.

const SEGMENT = /^(\d{8})\.log$/
export const TEMPORARY = /^\d{8}\.log\.tmp$/

export const segmentName = (number: number): string => `${String(number).padStart(8, '0')}.log`

/** The numbers of the segments among these names, ascending. */
export function segmentNumbers(names: readonly string[]): number[] {
  return names
    .flatMap((name) => {
      const digits = SEGMENT.exec(name)?.[1]
      return digits === undefined ? [] : [Number(digits)]
    })
    .sort((a, b) => a - b)
}

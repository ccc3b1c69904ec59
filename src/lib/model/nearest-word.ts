// For "did you mean": the candidate that a slip of the fingers would most likely have meant.

/** Edits (insert, delete, replace, swap of neighbours) that lead from one word to the other. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let row = Array.from({length: b.length + 1}, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) best = Math.min(best, (older[j - 2] ?? 0) + 1)
      next.push(best)
    }
    older = row
    row = next
  }
  return row[b.length] ?? 0
}

/** Which of the candidates a word may have meant. */
export type Guess = (word: string, candidates: Iterable<string>) => string | undefined

export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  const limit = word.length <= 4 ? 1 : 2
  let best: string | undefined
  let bestDistance = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const d = distance(word.toLowerCase(), candidate.toLowerCase())
    if (d < bestDistance) [best, bestDistance] = [candidate, d]
  }
  return best
}

/** Guesses as long as there are some left: to guess takes longer than all else that is done with a wrong word. */
export function guessAtMost(most: number): Guess {
  let left = most
  return (word, candidates) => (left-- > 0 ? nearestWord(word, candidates) : undefined)
}

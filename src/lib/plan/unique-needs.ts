import type {Need} from '../model/plan.ts'

/** Several changes often need the same. */
export function uniqueNeeds(needs: readonly Need[]): Need[] {
  return [...new Map(needs.map((need) => [JSON.stringify(need), need])).values()]
}

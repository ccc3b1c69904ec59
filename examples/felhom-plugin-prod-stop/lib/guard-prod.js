// The rule: felhom asks it about every action, when it plans and once more when it is about to act.

const STOPS = ['shutdown', 'restart']

/** @type {import('felhom/plugin').Rule} */
export function guardProd({action, guest}) {
  // Tags that cannot be read may hold anything.
  const isProd = guest.exists && (guest.tags?.includes('prod') ?? true)
  // Whoever takes the tag away could stop the guest right after.
  const concernsProd = STOPS.includes(action.type) || action.options.includes('tags')
  return isProd && concernsProd ? 'destructive' : undefined
}

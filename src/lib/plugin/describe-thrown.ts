// What a plugin threw, in words. Anything can be thrown, also what cannot be shown, and saying so must not throw in turn:
// the name of the plugin would be lost with it.

export function describeThrown(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? thrown.message : String(thrown)
    return typeof text === 'string' && text !== '' ? text : 'it threw something without a text'
  } catch {
    return 'it threw something that cannot be shown'
  }
}

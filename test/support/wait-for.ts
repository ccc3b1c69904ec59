// Waits for something that comes soon, in bounded time and without saying how soon.

export async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('what was waited for did not come')
}

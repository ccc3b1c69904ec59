// Counts requests at the server, by method and pattern of the route, so that a benchmark need not trust the
// client's own count.

export class Stats {
  #requests = new Map<string, number>()

  countRequest(method: string, route: string | undefined): void {
    const key = `${method} ${route ?? '(none)'}`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
  }

  reset(): void {
    this.#requests = new Map()
  }

  read(): {total: number; requests: Record<string, number>} {
    const total = [...this.#requests.values()].reduce((sum, n) => sum + n, 0)
    return {total, requests: Object.fromEntries([...this.#requests].sort())}
  }
}

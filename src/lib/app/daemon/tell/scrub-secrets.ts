// The last line of defence for secrets: whatever is told does not repeat the values that are known here, whoever put
// them into a text.

export type Scrub = (text: string) => string

/** Shorter ones would blot out innocent words. */
const SHORTEST = 6

export function makeScrub(secrets: readonly string[]): Scrub {
  const forms = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
  const known = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
}

/** Long, or not so long but made of letters and digits: no word of a language, and no directory of everybody. */
const LOOKS_SECRET = /^(?=.{24}|(?=.*[0-9])(?=.*[A-Za-z]).{12})/
const SHORTEST_VALUE = 8

/** What of an address is likely to be all that protects it; a path as everybody has it blots out nothing. */
export function secretsOfUrl(address: string): string[] {
  const {href, pathname, search, searchParams, password} = new URL(address)
  const segments = pathname.split('/').filter((segment) => LOOKS_SECRET.test(segment))
  const values = [...searchParams.values()].filter(({length}) => length >= SHORTEST_VALUE)
  return [href, search.slice(1), password, ...values, ...segments]
}

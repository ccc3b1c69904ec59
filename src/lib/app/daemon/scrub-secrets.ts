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

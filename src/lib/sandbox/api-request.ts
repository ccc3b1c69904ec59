// A request as the API sees it, whatever carried it.

export interface ApiRequest {
  method: string
  /** As on the request line: escaped, with the query. */
  url: string
  /** Names in lower case. */
  headers: Record<string, string | undefined>
  body?: Uint8Array | string
}

// Every recorded request, run through decoding and validation alone: what Proxmox refused for its parameters is
// refused here with the same texts, and what it accepted passes.
import {readdirSync, readFileSync} from 'node:fs'
import {expect} from 'chai'
import {methodSchema, schemaPaths, type MethodSchema} from '../../../../src/lib/sandbox/schema/api-schema.ts'
import {decodeForm, decodeJson} from '../../../../src/lib/sandbox/schema/decode-body.ts'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import {validateParams, type RawParams} from '../../../../src/lib/sandbox/schema/validate.ts'

interface Request {
  method: string
  path: string
  query?: Record<string, unknown>
  form?: Record<string, unknown>
  body?: string
  bodyRepeat?: {prefix: string; char: string; count: number}
  contentType?: string
}

interface Step {
  name?: string
  auth?: string
  request?: Request
  response?: {status: number; json?: {errors?: Record<string, string>} | null}
}

const FOLDER = 'test/fixtures/pve/scenarios'
/** What a handler says after the parameters were found right: also a 400, but not the schema's. */
const FROM_HANDLERS = [
  /^VM \d+ already exists$/,
  /^target is local node\.$/,
  /^no such task$/,
  /^unable to parse worker upid$/,
  /^Only root may use this option\.$/,
  /^unknown option '/,
  /^you can't use '/,
  /^hotplug problem - /,
  /^unable to hotplug /,
  /^both 'storage' and 'target-vmid' missing/,
  /^property is missing$/,
  /^duplicate parameter \(already defined in URI\)/,
]

const patterns = schemaPaths().map((path) => ({
  path,
  names: [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? ''),
  regex: new RegExp(`^/api2/(?:json|extjs)${path.replace(/\{[^}]+\}/g, '([^/]+)')}$`),
}))

function find(request: Request): {schema: MethodSchema; uri: RawParams} | undefined {
  for (const {path, names, regex} of patterns) {
    const match = regex.exec(decodeURIComponent(request.path))
    const schema = match && methodSchema(path, request.method)
    if (!match || !schema) continue
    return {
      schema,
      uri: Object.fromEntries(names.map((name, i) => [name, match[i + 1] ?? ''])),
    }
  }
  return undefined
}

function encode(fields: Record<string, unknown>): string {
  return new URLSearchParams(
    Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
}

function paramsOf(request: Request): RawParams {
  const repeat = request.bodyRepeat
  const body = repeat
    ? repeat.prefix + repeat.char.repeat(repeat.count)
    : (request.body ?? encode(request.form ?? {}))
  const decode = request.contentType === 'application/json' ? decodeJson : decodeForm
  const fields = request.method === 'PUT' || request.method === 'POST' ? decode(body) : {}
  return {...fields, ...decodeForm(encode(request.query ?? {}))}
}

function errorsOf(schema: MethodSchema, params: RawParams): Record<string, string> | undefined {
  try {
    validateParams(schema, params)
    return undefined
  } catch (error) {
    if (error instanceof PveError) return error.errors
    throw error
  }
}

describe('recorded requests', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json') && name !== 'seed.json')) {
    it(`are accepted and refused as recorded in ${file}`, () => {
      const {steps} = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8')) as {steps: Step[]}
      for (const {name, request, response} of steps) {
        if (!request || !response || ![200, 400].includes(response.status)) continue
        if (JSON.stringify(request).includes('${')) continue
        const found = find(request)
        if (!found) continue
        const recorded = response.json?.errors
        const later = Object.values(recorded ?? {}).some((text) =>
          FROM_HANDLERS.some((from) => from.test(text)),
        )
        const wanted = later ? undefined : recorded
        expect(errorsOf(found.schema, {...paramsOf(request), ...found.uri}), name).to.deep.equal(wanted)
      }
    })
  }
})

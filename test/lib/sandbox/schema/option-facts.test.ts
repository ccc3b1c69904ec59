// The recorded facts about single options, one PUT each: refused by the schema exactly where Proxmox did.
import {readFileSync} from 'node:fs'
import {expect} from 'chai'
import {methodSchema} from '../../../../src/lib/sandbox/schema/api-schema.ts'
import {PveError} from '../../../../src/lib/sandbox/pve-error.ts'
import {validateParams} from '../../../../src/lib/sandbox/schema/validate.ts'

interface Fact {
  kind: 'lxc' | 'qemu'
  option: string
  value: string | number
  guestState: string
  vmid: number
  status: number
  errors?: Record<string, string>
}

/** 400s that come from applying the change to a running guest. */
const FROM_HOTPLUG = /^(?:hotplug problem - |unable to hotplug )/

const {facts} = JSON.parse(readFileSync('test/fixtures/pve/option-facts.json', 'utf8')) as {facts: Fact[]}

function errorsOf(fact: Fact): Record<string, string> | undefined {
  const schema = methodSchema(`/nodes/{node}/${fact.kind}/{vmid}/config`, 'PUT')
  if (!schema) throw new Error('the schema has no such method')
  try {
    validateParams(schema, {node: 'pve', vmid: String(fact.vmid), [fact.option]: String(fact.value)})
    return undefined
  } catch (error) {
    if (error instanceof PveError) return error.errors
    throw error
  }
}

describe('option facts', () => {
  for (const kind of ['lxc', 'qemu'] as const) {
    const own = facts.filter((fact) => fact.kind === kind)
    for (const option of new Set(own.map((fact) => fact.option))) {
      it(`agree about ${kind} ${option}`, () => {
        for (const fact of own.filter((candidate) => candidate.option === option)) {
          const hotplug = Object.values(fact.errors ?? {}).some((text) => FROM_HOTPLUG.test(text))
          const wanted = fact.status === 400 && !hotplug ? fact.errors : undefined
          expect(errorsOf(fact), String(fact.value)).to.deep.equal(wanted)
        }
      })
    }
  }
})

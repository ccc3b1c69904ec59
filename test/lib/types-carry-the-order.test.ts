import {readdirSync, readFileSync} from 'node:fs'
import {expect} from 'chai'

const root = new URL('../../src/', import.meta.url)

/** Files of the sources in which this text stands. */
function filesWith(text: string): string[] {
  return readdirSync(root, {recursive: true, encoding: 'utf8'})
    .filter((file) => file.endsWith('.ts') && readFileSync(new URL(file, root), 'utf8').includes(text))
    .sort()
}

// A brand keeps its promise only as long as nobody else casts to it.
describe('types carry the order', () => {
  it('only the gate makes an authorised action', () => {
    expect(filesWith('as AuthorizedAction')).to.deep.equal(['lib/gate/gate.ts'])
  })

  it('only the store makes a journaled intent, and the journal in memory that stands in for it in tests', () => {
    const [own, inMemory, ...others] = filesWith('as JournaledIntent')
    expect(own).to.match(/^lib\/store\//)
    expect(inMemory).to.equal('lib/testing/memory-journal.ts')
    expect(others).to.deep.equal([])
  })

  it('the product itself uses nothing of what is there for tests', () => {
    const users = filesWith('/testing/').filter((file) => !/^lib\/(?:testing|library)\//.test(file))
    expect(users).to.deep.equal([])
  })

  it('a request to change something is made in one place', () => {
    expect(filesWith('.mutate(')).to.have.lengthOf(1)
  })
})

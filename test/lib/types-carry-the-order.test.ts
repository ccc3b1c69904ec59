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

  it('only the store makes a journaled intent', () => {
    const files = filesWith('as JournaledIntent')
    expect(files).to.have.lengthOf(1)
    expect(files[0]).to.match(/^lib\/store\//)
  })

  it('a request to change something is made in one place', () => {
    expect(filesWith('.mutate(')).to.have.lengthOf(1)
  })
})

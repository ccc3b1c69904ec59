import {mkdirSync, rmSync, symlinkSync} from 'node:fs'
import {expect} from 'chai'
import {choosePlugins} from '../../../src/lib/cli/choose-plugins.ts'
import {mayHavePlugins} from '../../../src/lib/cli/may-have-plugins.ts'
import {PluginLab} from '../../support/plugin-lab.ts'
import {rejection} from '../../support/reject.ts'

describe('where plugins may be installed', () => {
  let lab: PluginLab
  beforeEach(() => {
    lab = new PluginLab()
  })
  afterEach(() => {
    lab.close()
  })

  it('none are where nothing is, or an empty directory, be it behind a link', () => {
    expect(mayHavePlugins(lab.at('no/such/data'))).to.equal(false)
    mkdirSync(lab.at('empty'))
    symlinkSync('empty', lab.dataDir)
    expect(mayHavePlugins(lab.dataDir)).to.equal(false)
    lab.list('felhom-plugin-x')
    expect(mayHavePlugins(lab.dataDir)).to.equal(true)
  })

  for (const [what, link] of [
    ['the list', 'data/package.json'],
    ['the data directory', 'data'],
    ['a directory above it', '.'],
  ] as const)
    it(`some may be where ${what} is a link that leads to nothing, which stops felhom`, async () => {
      const dataDir = link === '.' ? lab.at('above/data') : lab.dataDir
      if (link === 'data/package.json') mkdirSync(dataDir)
      symlinkSync('/nonexistent/away', link === '.' ? lab.at('above') : lab.at(link))
      expect(mayHavePlugins(dataDir)).to.equal(true)
      const error = await rejection(choosePlugins(dataDir, ['plan']))
      expect([error.code, error.message]).to.deep.equal([
        'plugin_failed',
        `the list of plugins cannot be used: a link on the way to ${dataDir}/package.json leads to nothing`,
      ])
      expect(error.hint).to.contain('a disk that is not mounted')
      rmSync(lab.dataDir, {recursive: true, force: true})
    })
})

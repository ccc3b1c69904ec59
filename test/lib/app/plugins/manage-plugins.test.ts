import {mkdirSync, symlinkSync} from 'node:fs'
import {expect} from 'chai'
import {installPlugin, listPlugins} from '../../../../src/lib/app/plugins/manage-plugins.ts'
import type {FelhomError} from '../../../../src/lib/model/felhom-error.ts'
import {PluginLab} from '../../../support/plugin-lab.ts'
import {rejection} from '../../../support/reject.ts'

describe('the list of installed plugins', () => {
  let lab: PluginLab
  beforeEach(() => {
    lab = new PluginLab()
  })
  afterEach(() => {
    lab.close()
  })

  const list = (): Promise<FelhomError> => rejection(Promise.resolve().then(() => listPlugins(lab.dataDir)))

  it('is to be removed only where it is not what was written, and not where it cannot be read', async () => {
    lab.write('data/package.json', '{')
    expect((await list()).hint).to.equal('Mend it, or remove it and install the plugins again.')
    lab.close()
    mkdirSync(lab.dataDir, {recursive: true})
    symlinkSync('package.json', lab.at('data/package.json'))
    const {message, hint} = await list()
    expect(message).to.contain('cannot be read (ELOOP')
    expect(hint).to.contain('FELHOM_DATA_DIR').and.not.to.contain('remove')
  })

  it('is empty below a file, where nothing can be installed', async () => {
    lab.write('data', 'a file')
    expect(listPlugins(lab.dataDir)).to.deep.equal([])
    const {signal} = new AbortController()
    const error = await rejection(installPlugin({dataDir: lab.dataDir, spec: 'x', cwd: lab.dir, signal}))
    expect(error.code).to.equal('usage')
    expect(error.message).to.contain('cannot be made')
  })
})

import {mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {expect} from 'chai'
import {systemDisk} from '../../../src/lib/store/system-disk.ts'
import {timeSyncs} from '../../../src/lib/store/timed-disk.ts'

describe('a disk whose syncs are timed', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-timed-'))
  })
  afterEach(() => {
    rmSync(dir, {recursive: true})
  })

  it('does all that the disk does, and tells how long each sync took', async () => {
    const took: number[] = []
    const disk = timeSyncs(systemDisk, (ms) => void took.push(ms))
    await disk.makeDirectory(join(dir, 'd'))
    const file = await disk.open(join(dir, 'd', 'a'), 'create')
    file.write(Buffer.from('hello'), 0)
    await file.truncate(4)
    expect(took).to.have.length(0)
    await file.datasync()
    expect(took).to.have.length(1)
    expect(await file.size()).to.equal(4)
    expect(await file.read(Buffer.alloc(9), 0)).to.equal(4)
    await file.close()
    await disk.rename(join(dir, 'd', 'a'), join(dir, 'd', 'b'))
    await disk.syncDirectory(join(dir, 'd'))
    expect(await disk.list(join(dir, 'd'))).to.deep.equal(['b'])
    expect(readFileSync(join(dir, 'd', 'b'), 'utf8')).to.equal('hell')
    await disk.remove(join(dir, 'd', 'b'))
    expect(took).to.have.length(2)
    for (const ms of took) expect(ms).to.be.greaterThan(0)
  })

  it('fails as the disk fails', async () => {
    const disk = timeSyncs(systemDisk, () => undefined)
    const failure = await disk.open(join(dir, 'none'), 'read').catch((error: unknown) => error)
    expect(failure).to.include({code: 'ENOENT'})
  })
})

import {expect} from 'chai'
import {mkdirSync, mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {SourceKind} from '../../../src/lib/model/daemon.ts'
import {KeptSourceFiles, type KeptSource} from '../../../src/lib/store/kept-source.ts'

/** Each that there is: the compiler knows when one is missing here. */
const KINDS: Record<Exclude<SourceKind, 'none'>, true> = {files: true, git: true, https: true, plugin: true}

describe('what is kept of a source', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'felhom-kept-'))
    mkdirSync(join(dir, 'source'), {mode: 0o700})
  })
  afterEach(() => rmSync(dir, {recursive: true, force: true}))

  for (const kind of Object.keys(KINDS) as KeptSource['kind'][])
    it(`is read back as it was written, of ${kind}`, () => {
      const kept: KeptSource = {
        ...{kind, place: 'somewhere', revision: 'r1', serial: 3, keptAtMs: 5},
        texts: [{file: 'a.yaml', dir: '/x', bytes: Buffer.from('felhom: 1\n')}],
        approvals: [{name: 'approvals/a.json', bytes: Buffer.from([0, 255])}],
        jobs: [],
      }
      new KeptSourceFiles(dir).writeKept(kept)
      const {value, problem} = new KeptSourceFiles(dir).readKept()
      expect(problem).to.equal(undefined)
      expect(value).to.deep.equal(kept)
    })
})
